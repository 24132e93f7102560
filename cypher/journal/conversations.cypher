// Returns a page of an agent's conversations, the last active first.
// read
// $namespace STRING: the caller's namespace
// $agent_id STRING: the agent
// $limit INTEGER: how many at most
// $offset INTEGER: how many are skipped
MATCH (message:Message {namespace: $namespace, agent_id: $agent_id})
// The conditions name the whole key of the index: nothing else is read to group by conversation.
WHERE message.conversation_id IS NOT NULL AND message.created_at IS NOT NULL AND message.node_id IS NOT NULL
WITH
  message.conversation_id AS conversation_id,
  count(message) AS messages,
  min(message.created_at) AS first,
  max(message.created_at) AS last
ORDER BY last DESC, conversation_id
SKIP $offset LIMIT $limit
CALL (conversation_id) {
  MATCH (message:Message {namespace: $namespace, agent_id: $agent_id, conversation_id: conversation_id})
  WHERE message.created_at IS NOT NULL AND message.node_id IS NOT NULL
  WITH message
  ORDER BY
    message.namespace, message.agent_id, message.conversation_id, message.created_at, message.node_id
  LIMIT 1
  RETURN message.name AS opening
}
RETURN
  conversation_id,
  messages,
  first.epochMillis AS first_timestamp,
  last.epochMillis AS last_timestamp,
  opening
ORDER BY last DESC, conversation_id
