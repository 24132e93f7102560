// Returns memories as an answer tells them, and which passages of others are not of a memory that counts.
// read
// $namespace STRING: the caller's namespace
// $records LIST<INTEGER>: integer ids of the memories
// $others LIST<STRING>: ids of passages that are only to be confirmed
// $scope STRING: the word that they must carry
CALL () {
  MATCH (collection:MemoryCollection {namespace: $namespace, of: 'memories', state: 'live'})
  RETURN collect(collection.id) AS live
}
CALL (live) {
  UNWIND $records AS record
  MATCH (memory:Interaction {namespace: $namespace, node_id: record})
  WHERE memory.collection IN live
  RETURN collect({
    record: record,
    id: memory.id,
    session_id: memory.session_id,
    at: memory.created_at.epochMillis,
    prompt: memory.prompt,
    thought: memory.thought,
    response: memory.response
  }) AS found
}
RETURN
  found,
  [id IN $others WHERE NOT EXISTS {
    MATCH (passage:Passage {namespace: $namespace, id: id})-[:PASSAGE_OF]->(memory:Interaction)
    WHERE passage.scope CONTAINS $scope AND memory.collection IN live
  }] AS gone
