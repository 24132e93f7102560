// Returns those of an agent's messages that have one of these ids.
// read
// $namespace STRING: the caller's namespace
// $agent_id STRING: the agent
// $ids LIST<STRING>: ids of messages
UNWIND $ids AS id
MATCH (message:Message {namespace: $namespace, id: id})
WHERE message.agent_id = $agent_id
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
