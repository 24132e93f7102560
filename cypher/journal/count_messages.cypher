// Counts an agent's messages, all or those of one conversation.
// read
// $namespace STRING: the caller's namespace
// $agent_id STRING: the agent
// $conversation_id STRING: the conversation, or null for all
CALL () {
  // Only one of the two branches runs. The conditions name the whole key of an index: nothing but the index is read.
  WITH 1 AS one WHERE $conversation_id IS NULL
  MATCH (message:Message {namespace: $namespace, agent_id: $agent_id})
  WHERE message.created_at IS NOT NULL AND message.node_id IS NOT NULL
  RETURN count(message) AS counted
  UNION ALL
  WITH 1 AS one WHERE $conversation_id IS NOT NULL
  MATCH (message:Message {namespace: $namespace, agent_id: $agent_id, conversation_id: $conversation_id})
  WHERE message.created_at IS NOT NULL AND message.node_id IS NOT NULL
  RETURN count(message) AS counted
}
RETURN sum(counted) AS total
