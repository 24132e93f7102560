// Returns the last dialogue of a session.
// read
// $namespace STRING: the caller's namespace
// $session_id STRING: the session
MATCH (dialogue:Dialogue)
WHERE dialogue.namespace = $namespace AND dialogue.session_id = $session_id
  // Every property of the index, and below its whole order, so that the planner reads one row of it.
  AND dialogue.created_at IS NOT NULL AND dialogue.id IS NOT NULL AND dialogue.speaker IS NOT NULL
RETURN dialogue.id AS id, dialogue.place AS position, dialogue.created_at.epochMillis AS at
ORDER BY
  dialogue.namespace DESC, dialogue.session_id DESC, dialogue.created_at DESC, dialogue.id DESC, dialogue.speaker DESC
LIMIT 1
