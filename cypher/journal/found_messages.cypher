// Tells which of these ids are messages of an agent, and what orders them, in one row.
// read
// $namespace STRING: the caller's namespace
// $agent_id STRING: the agent
// $ids LIST<STRING>: ids of messages
UNWIND $ids AS id
MATCH (message:Message {namespace: $namespace, id: id})
WHERE message.agent_id = $agent_id
RETURN collect({
  id: message.id,
  node_id: message.node_id,
  conversation_id: message.conversation_id,
  revision: message.revision
}) AS messages
