// Says anew which memory of a session follows which.
// write
// $namespace STRING: the collection's namespace
// $session_id STRING: the session
CALL () {
  MATCH (collection:MemoryCollection {namespace: $namespace, of: 'memories', state: 'live'})
  RETURN collect(collection.id) AS live
}
CALL (live) {
  MATCH (memory:Interaction {namespace: $namespace, session_id: $session_id})
  WHERE memory.collection IN live AND memory.created_at IS NOT NULL AND memory.id IS NOT NULL
  WITH memory ORDER BY memory.created_at, memory.id
  RETURN collect(memory) AS said
}
CALL (said) {
  UNWIND said AS memory
  MATCH (memory)-[following:NEXT]->(:Interaction)
  DELETE following
}
UNWIND range(0, size(said) - 2) AS place
WITH said[place] AS memory, said[place + 1] AS next
CREATE (memory)-[:NEXT]->(next)
