// Returns insights by their ids, in the order of the ids.
// read
// $namespace STRING: the caller's namespace
// $ids LIST<INTEGER>: ids of insights
UNWIND range(0, size($ids) - 1) AS index
MATCH (insight:Insight {namespace: $namespace, id: $ids[index]})
WITH insight, index
ORDER BY index
RETURN
  insight.id AS id,
  insight.content AS content,
  insight.fidelity_score AS fidelity_score,
  insight.fidelity_warning AS fidelity_warning,
  insight.warning_message AS warning_message,
  insight.source_ids AS source_ids,
  insight.created_at.epochMillis AS created_at,
  head(COLLECT {
    MATCH (correction:Correction)-[:CORRECTS]->(insight)
    RETURN {
      correction_id: correction.id,
      text: left(
        coalesce(correction.reason + ' ', '') + coalesce(correction.corrected_value, correction.correction_type), 200
      )
    }
    ORDER BY correction.created_at DESC, correction.node_id DESC
    LIMIT 1
  }) AS corrected_by
