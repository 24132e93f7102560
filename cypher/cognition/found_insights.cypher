// Returns what an answer says of insights, and which passages are not there where they are looked for.
// read
// $namespace STRING: the caller's namespace
// $ids LIST<INTEGER>: ids of the insights
// $whole BOOLEAN: whether their content is asked for
// $others LIST<STRING>: ids of passages that are only to be confirmed
// $scope STRING: the word that they must carry
// $since STRING: from when they must be, as a word
// $until STRING: until when, as a word
CALL () {
  UNWIND $ids AS id
  MATCH (insight:Insight {namespace: $namespace, id: id})
  RETURN collect({
    id: insight.id,
    content: CASE WHEN $whole THEN insight.content END,
    source_ids: insight.source_ids,
    fidelity_score: insight.fidelity_score
  }) AS found
}
RETURN
  found,
  [id IN $others WHERE NOT EXISTS {
    MATCH (passage:Passage {namespace: $namespace, id: id})
    WHERE passage.scope CONTAINS $scope AND $since <= passage.at <= $until
  }] AS gone
