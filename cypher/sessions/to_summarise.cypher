// Returns sessions with their number of memories, and whether they have no current summary.
// read
// $namespace STRING: the caller's namespace
// $first STRING: the lowest session id to look at
// $last STRING: the highest one
CALL () {
  MATCH (collection:MemoryCollection {namespace: $namespace, of: 'memories', state: 'live'})
  RETURN collect(collection.id) AS memories
}
CALL () {
  MATCH (collection:MemoryCollection {namespace: $namespace, of: 'summaries', state: 'live'})
  RETURN collect(collection.id) AS summaries
}
MATCH (memory:Interaction {namespace: $namespace})
WHERE memory.collection IN memories AND memory.session_id >= $first AND memory.session_id <= $last
  AND memory.created_at IS NOT NULL AND memory.id IS NOT NULL
WITH summaries, memory.session_id AS session_id, count(memory) AS memories, max(memory.created_at) AS last
RETURN
  session_id,
  memories,
  NOT EXISTS {
    MATCH (summary:Summary {namespace: $namespace, session_id: session_id})
    WHERE summary.collection IN summaries AND summary.memory_count = memories AND summary.created_at = last
  } AS due
ORDER BY last, session_id
