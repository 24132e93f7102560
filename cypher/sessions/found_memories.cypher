// Returns memories for an answer, and the passages that belong to no live memory of the scope.
// read
// $namespace STRING: the caller's namespace
// $records LIST<INTEGER>: integer ids of the memories
// $others LIST<STRING>: ids of passages to confirm
// $scope STRING: the scope tag that these passages need
CALL () {
  MATCH (collection:MemoryCollection {namespace: $namespace, of: 'memories', state: 'live'})
  RETURN collect(collection.id) AS live
}
CALL (live) {
  UNWIND $records AS record
  MATCH (memory:Interaction {namespace: $namespace, node_id: record})
  WHERE memory.collection IN live
  WITH memory, record, head(COLLECT {
    MATCH (correction:Correction)-[:CORRECTS]->(memory)
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
    record: record,
    id: memory.id,
    session_id: memory.session_id,
    at: memory.created_at.epochMillis,
    prompt: memory.prompt,
    thought: memory.thought,
    response: memory.response,
    corrected_by: corrected_by
  }) AS found
}
RETURN
  found,
  [id IN $others WHERE NOT EXISTS {
    MATCH (passage:Passage {namespace: $namespace, id: id})-[:PASSAGE_OF]->(memory:Interaction)
    WHERE passage.scope CONTAINS $scope AND memory.collection IN live
  }] AS gone
