// Returns the last memory of a session with its time, and the collection for new memories; null for what does not exist.
// read
// $namespace STRING: the caller's namespace
// $session_id STRING: the session's id
CALL () {
  MATCH (collection:MemoryCollection {namespace: $namespace, of: 'memories', state: 'live'})
  WITH collection ORDER BY collection.created_at DESC, collection.id
  RETURN collect(collection.id) AS live
}
CALL (live) {
  MATCH (memory:Interaction {namespace: $namespace, session_id: $session_id})
  WHERE memory.collection IN live AND memory.created_at IS NOT NULL AND memory.id IS NOT NULL
  // The whole order of the index, so that the planner reads one row of it.
  WITH memory ORDER BY memory.namespace DESC, memory.session_id DESC, memory.created_at DESC, memory.id DESC
  LIMIT 1
  RETURN collect({element: elementId(memory), at: memory.created_at.epochMillis})[0] AS last
}
RETURN live[0] AS collection, last.element AS element, last.at AS at
