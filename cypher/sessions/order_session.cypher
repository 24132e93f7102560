// Rebuilds the NEXT relationships between the memories of a session.
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
  RETURN collect(memory) AS memories
}
CALL (memories) {
  UNWIND memories AS memory
  MATCH (memory)-[following:NEXT]->(:Interaction)
  DELETE following
}
UNWIND range(0, size(memories) - 2) AS index
WITH memories[index] AS memory, memories[index + 1] AS next
CREATE (memory)-[:NEXT]->(next)
