// Returns a page of one conversation of an agent, oldest or newest first.
// read
// $namespace STRING: the caller's namespace
// $agent_id STRING: the agent
// $conversation_id STRING: the conversation
// $newest_first BOOLEAN: whether the newest come first
// $limit INTEGER: how many at most
// $offset INTEGER: how many are skipped
CALL () {
  // Only one of the two branches runs. Each reads its page from the index in its direction, without sorting: the order
  // and the conditions name the whole key of the index.
  WITH 1 AS one WHERE NOT $newest_first
  MATCH (message:Message {namespace: $namespace, agent_id: $agent_id, conversation_id: $conversation_id})
  WHERE message.created_at IS NOT NULL AND message.node_id IS NOT NULL
  RETURN message
  ORDER BY message.namespace, message.agent_id, message.conversation_id, message.created_at, message.node_id
  SKIP $offset LIMIT $limit
  UNION ALL
  WITH 1 AS one WHERE $newest_first
  MATCH (message:Message {namespace: $namespace, agent_id: $agent_id, conversation_id: $conversation_id})
  WHERE message.created_at IS NOT NULL AND message.node_id IS NOT NULL
  RETURN message
  ORDER BY
    message.namespace DESC, message.agent_id DESC, message.conversation_id DESC, message.created_at DESC, message.node_id DESC
  SKIP $offset LIMIT $limit
}
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
  message.source_attribution_id AS source_attribution_id,
  head(COLLECT {
    MATCH (correction:Correction)-[:CORRECTS]->(message)
    RETURN {
      correction_id: correction.id,
      text: left(
        coalesce(correction.reason + ' ', '') + coalesce(correction.corrected_value, correction.correction_type), 200
      )
    }
    ORDER BY correction.created_at DESC, correction.node_id DESC
    LIMIT 1
  }) AS corrected_by
