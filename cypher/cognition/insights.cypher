// Returns a page of insights, newest first.
// read
// $namespace STRING: the caller's namespace
// $since ZONED DATETIME: stored at or after
// $until ZONED DATETIME: stored at or before
// $fidelity_min FLOAT: of this fidelity or more, or null for any
// $limit INTEGER: most rows to return
// $offset INTEGER: rows to skip
MATCH (insight:Insight)
WHERE insight.namespace = $namespace AND insight.created_at >= $since AND insight.created_at <= $until
  // The planner uses the index only if every property of it has a predicate.
  AND insight.id IS NOT NULL
  AND ($fidelity_min IS NULL OR insight.fidelity_score >= $fidelity_min)
WITH insight
ORDER BY insight.namespace DESC, insight.created_at DESC, insight.id DESC
SKIP $offset LIMIT $limit
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
