// Returns a page of a session's memories, oldest first, and their total number.
// read
// $namespace STRING: the caller's namespace
// $session_id STRING: the session's id
// $offset INTEGER: memories to skip
// $limit INTEGER: most memories to return
CALL () {
  MATCH (collection:MemoryCollection {namespace: $namespace, of: 'memories', state: 'live'})
  RETURN collect(collection.id) AS live
}
CALL (live) {
  MATCH (memory:Interaction {namespace: $namespace, session_id: $session_id})
  WHERE memory.collection IN live AND memory.created_at IS NOT NULL AND memory.id IS NOT NULL
  RETURN count(memory) AS total
}
CALL (live) {
  MATCH (memory:Interaction {namespace: $namespace, session_id: $session_id})
  WHERE memory.collection IN live AND memory.created_at IS NOT NULL AND memory.id IS NOT NULL
  WITH memory ORDER BY memory.created_at, memory.id SKIP $offset LIMIT $limit
  WITH memory, head(COLLECT {
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
  ORDER BY memory.created_at, memory.id
  RETURN collect({
    id: memory.id,
    session_id: memory.session_id,
    at: memory.created_at.epochMillis,
    prompt: memory.prompt,
    thought: memory.thought,
    response: memory.response,
    corrected_by: corrected_by
  }) AS memories
}
RETURN total, memories
