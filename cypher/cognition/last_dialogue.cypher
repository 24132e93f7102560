// Returns the last dialogue of a session.
// read
// $namespace STRING: the caller's namespace
// $session_id STRING: the session
MATCH (dialogue:Dialogue)
WHERE dialogue.namespace = $namespace AND dialogue.session_id = $session_id AND dialogue.created_at IS NOT NULL
RETURN dialogue.id AS id, dialogue.place AS place, dialogue.created_at.epochMillis AS at
ORDER BY dialogue.created_at DESC
LIMIT 1
