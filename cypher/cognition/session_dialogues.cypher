// Returns a page of the dialogues of a session, newest first or oldest first.
// read
// $namespace STRING: the caller's namespace
// $session_id STRING: the session
// $speaker STRING: only this speaker, or null for all
// $since ZONED DATETIME: stored at or after
// $until ZONED DATETIME: stored at or before
// $oldest_first BOOLEAN: true for the oldest first
// $limit INTEGER: most rows to return
// $offset INTEGER: rows to skip
CALL () {
  // Only one of the two branches reads data: each follows the index in its direction and stops at the limit. The
  // planner uses the index only if every property of it has a predicate, hence IS NOT NULL on what is never null.
  WITH 1 AS one WHERE NOT $oldest_first
  MATCH (dialogue:Dialogue)
  WHERE dialogue.namespace = $namespace AND dialogue.session_id = $session_id
    AND dialogue.created_at >= $since AND dialogue.created_at <= $until
    AND dialogue.id IS NOT NULL AND dialogue.speaker IS NOT NULL
    AND ($speaker IS NULL OR dialogue.speaker = $speaker)
  RETURN dialogue
  ORDER BY dialogue.namespace DESC, dialogue.session_id DESC, dialogue.created_at DESC, dialogue.id DESC
  SKIP $offset LIMIT $limit
  UNION ALL
  WITH 1 AS one WHERE $oldest_first
  MATCH (dialogue:Dialogue)
  WHERE dialogue.namespace = $namespace AND dialogue.session_id = $session_id
    AND dialogue.created_at >= $since AND dialogue.created_at <= $until
    AND dialogue.id IS NOT NULL AND dialogue.speaker IS NOT NULL
    AND ($speaker IS NULL OR dialogue.speaker = $speaker)
  RETURN dialogue
  ORDER BY dialogue.namespace, dialogue.session_id, dialogue.created_at, dialogue.id
  SKIP $offset LIMIT $limit
}
RETURN
  dialogue.id AS id,
  dialogue.session_id AS session_id,
  dialogue.speaker AS speaker,
  dialogue.content AS content,
  dialogue.created_at.epochMillis AS timestamp,
  dialogue.metadata AS metadata
