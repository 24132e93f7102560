// Returns the messages of passages, and which of the other passages do not belong to a message of the agent.
// read
// $namespace STRING: the caller's namespace
// $agent_id STRING: the agent
// $ids LIST<STRING>: ids of the passages
// $others LIST<STRING>: ids of passages that are only checked
CALL () {
  UNWIND $ids AS id
  MATCH (passage:Passage {namespace: $namespace, id: id})-[:PASSAGE_OF]->(message:Message {agent_id: $agent_id})
  WITH passage, message, head(COLLECT {
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
  RETURN collect({
    passage: passage.id,
    text: passage.text,
    words: passage.words,
    around: passage.around,
    message: {
      message_id: message.id,
      conversation_id: message.conversation_id,
      agent_id: message.agent_id,
      user_id: message.user_id,
      timestamp: message.created_at.epochMillis,
      sender: message.sender,
      message_content: message.message_content,
      message_type: message.message_type,
      tool_info: message.tool_info,
      context_snapshot_id: message.context_snapshot_id,
      source_attribution_id: message.source_attribution_id,
      corrected_by: corrected_by
    }
  }) AS found
}
RETURN
  found,
  [id IN $others WHERE NOT EXISTS {
    MATCH (:Passage {namespace: $namespace, id: id})-[:PASSAGE_OF]->(:Message {agent_id: $agent_id})
  }] AS gone
