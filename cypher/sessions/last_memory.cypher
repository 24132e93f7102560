// Returns the last memory of a session with its time.
// read
// $namespace STRING: the caller's namespace
// $session_id STRING: the session's id
CALL () {
  MATCH (collection:MemoryCollection {namespace: $namespace, of: 'memories', state: 'live'})
  RETURN collect(collection.id) AS live
}
MATCH (memory:Interaction {namespace: $namespace, session_id: $session_id})
WHERE memory.collection IN live AND memory.created_at IS NOT NULL AND memory.id IS NOT NULL
RETURN elementId(memory) AS element, memory.created_at.epochMillis AS at
// The whole order of the index, so that the planner reads one row of it.
ORDER BY memory.namespace DESC, memory.session_id DESC, memory.created_at DESC, memory.id DESC
LIMIT 1
