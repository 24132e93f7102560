// Returns insights for an answer, and the passages that do not exist or are outside of the scope.
// read
// $namespace STRING: the caller's namespace
// $ids LIST<INTEGER>: ids of the insights
// $whole BOOLEAN: true to return their content
// $others LIST<STRING>: ids of passages to confirm
// $scope STRING: the scope tag that these passages need
// $since STRING: the earliest time, as a sortable text
// $until STRING: the latest time, as a sortable text
CALL () {
  UNWIND $ids AS id
  MATCH (insight:Insight {namespace: $namespace, id: id})
  WITH insight, head(COLLECT {
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
  RETURN collect({
    id: insight.id,
    content: CASE WHEN $whole THEN insight.content END,
    source_ids: insight.source_ids,
    fidelity_score: insight.fidelity_score,
    corrected_by: corrected_by
  }) AS found
}
RETURN
  found,
  [id IN $others WHERE NOT EXISTS {
    MATCH (passage:Passage {namespace: $namespace, id: id})
    WHERE passage.scope CONTAINS $scope AND $since <= passage.at <= $until
  }] AS gone
