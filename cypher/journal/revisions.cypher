// Tells which of these ids are messages of an agent, and their revisions, in one row.
// read
// $namespace STRING: the caller's namespace
// $agent_id STRING: the agent
// $ids LIST<STRING>: ids of messages
UNWIND $ids AS id
MATCH (message:Message {namespace: $namespace, id: id})
WHERE message.agent_id = $agent_id
RETURN collect({id: message.id, revision: message.revision}) AS messages
