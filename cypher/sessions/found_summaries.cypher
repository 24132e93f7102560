// Returns summaries for an answer, and the passages that belong to no live summary of the scope.
// read
// $namespace STRING: the caller's namespace
// $records LIST<INTEGER>: integer ids of the summaries
// $others LIST<STRING>: ids of passages to confirm
// $scope STRING: the scope tag that these passages need
CALL () {
  MATCH (collection:MemoryCollection {namespace: $namespace, of: 'summaries', state: 'live'})
  RETURN collect(collection.id) AS live
}
CALL (live) {
  UNWIND $records AS record
  MATCH (summary:Summary {namespace: $namespace, node_id: record})
  WHERE summary.collection IN live
  RETURN collect({
    record: record,
    id: summary.id,
    session_id: summary.session_id,
    at: summary.created_at.epochMillis,
    title: summary.title,
    summary: summary.summary,
    category: summary.category,
    memory_count: summary.memory_count,
    quality: summary.quality,
    productivity: summary.productivity,
    impact: summary.impact,
    complexity: summary.complexity,
    technologies: summary.technologies,
    method: summary.method
  }) AS found
}
RETURN
  found,
  [id IN $others WHERE NOT EXISTS {
    MATCH (passage:Passage {namespace: $namespace, id: id})-[:PASSAGE_OF]->(summary:Summary)
    WHERE passage.scope CONTAINS $scope AND summary.collection IN live
  }] AS gone
