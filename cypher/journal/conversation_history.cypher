// Returns a page of one conversation of an agent, oldest first.
// read
// $namespace STRING: the caller's namespace
// $agent_id STRING: the agent
// $conversation_id STRING: the conversation
// $limit INTEGER: how many at most
// $offset INTEGER: how many are passed over
MATCH (message:Message {namespace: $namespace, agent_id: $agent_id, conversation_id: $conversation_id})
// The order and the conditions name the whole key of the index, so that a page is read off it and nothing is sorted.
WHERE message.created_at IS NOT NULL AND message.node_id IS NOT NULL
WITH message ORDER BY message.namespace, message.agent_id, message.conversation_id, message.created_at, message.node_id
SKIP $offset LIMIT $limit
RETURN
  message.id AS message_id,
  message.conversation_id AS conversation_id,
  message.agent_id AS agent_id,
  message.user_id AS user_id,
  message.created_at.epochMillis AS timestamp,
  message.sender AS sender,
  message.message_content AS message_content,
  message.message_type AS message_type,
  message.tool_info AS tool_info,
  message.context_snapshot_id AS context_snapshot_id,
  message.source_attribution_id AS source_attribution_id
