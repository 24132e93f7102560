// Returns the dialogues of a session in the order of time, newest first or oldest first.
// read
// $namespace STRING: the caller's namespace
// $session_id STRING: the session
// $speaker STRING: said by this speaker, or null for all
// $since ZONED DATETIME: said at or after
// $until ZONED DATETIME: said at or before
// $oldest_first BOOLEAN: whether the oldest come first
// $limit INTEGER: how many at most
CALL () {
  // Only one of the two looks at anything: each follows the index in its direction, and stops when it has enough. The
  // index is taken only where each of its properties is asked for, hence what is never null.
  WITH 1 AS one WHERE NOT $oldest_first
  MATCH (dialogue:Dialogue)
  WHERE dialogue.namespace = $namespace AND dialogue.session_id = $session_id
    AND dialogue.created_at >= $since AND dialogue.created_at <= $until
    AND dialogue.id IS NOT NULL AND dialogue.speaker IS NOT NULL
    AND ($speaker IS NULL OR dialogue.speaker = $speaker)
  RETURN dialogue
  ORDER BY dialogue.namespace DESC, dialogue.session_id DESC, dialogue.created_at DESC, dialogue.id DESC
  LIMIT $limit
  UNION ALL
  WITH 1 AS one WHERE $oldest_first
  MATCH (dialogue:Dialogue)
  WHERE dialogue.namespace = $namespace AND dialogue.session_id = $session_id
    AND dialogue.created_at >= $since AND dialogue.created_at <= $until
    AND dialogue.id IS NOT NULL AND dialogue.speaker IS NOT NULL
    AND ($speaker IS NULL OR dialogue.speaker = $speaker)
  RETURN dialogue
  ORDER BY dialogue.namespace, dialogue.session_id, dialogue.created_at, dialogue.id
  LIMIT $limit
}
RETURN
  dialogue.id AS id,
  dialogue.session_id AS session_id,
  dialogue.speaker AS speaker,
  dialogue.content AS content,
  dialogue.created_at.epochMillis AS timestamp,
  dialogue.metadata AS metadata
