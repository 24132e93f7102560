// Returns the messages of a conversation that have no passages yet, oldest first.
// read
// $namespace STRING: the conversation's namespace
// $agent_id STRING: the agent
// $conversation_id STRING: the conversation
// $limit INTEGER: how many at most
MATCH (message:Message {namespace: $namespace, agent_id: $agent_id, conversation_id: $conversation_id})
// The order and the conditions name the whole key of the index, so that it is read in that order.
WHERE message.created_at IS NOT NULL AND message.node_id IS NOT NULL AND message.scope IS NOT NULL
  AND message.id IS NOT NULL
WITH message ORDER BY message.namespace, message.agent_id, message.conversation_id, message.created_at, message.node_id
LIMIT $limit
RETURN
  message.id AS id,
  message.node_id AS node_id,
  message.user_id AS user_id,
  coalesce(message.sender, 'user') AS sender,
  coalesce(message.message_content, '') AS message_content,
  coalesce(message.message_type, 'text') AS message_type,
  message.created_at.epochMillis AS at,
  EXISTS { (message)-[:IN]->(:Session) } AS grouped
