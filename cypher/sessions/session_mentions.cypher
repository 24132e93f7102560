// Returns the entities that a session's memories mention, most frequent first.
// read
// $namespace STRING: the caller's namespace
// $session_id STRING: the session's id
CALL () {
  MATCH (collection:MemoryCollection {namespace: $namespace, of: 'memories', state: 'live'})
  RETURN collect(collection.id) AS live
}
MATCH (memory:Interaction {namespace: $namespace, session_id: $session_id})
WHERE memory.collection IN live AND memory.created_at IS NOT NULL AND memory.id IS NOT NULL
MATCH (memory)-[:MENTIONS]->(entity:Entity)
RETURN entity.name AS name, entity.label AS label, count(memory) AS memories
ORDER BY memories DESC, name
LIMIT 200
