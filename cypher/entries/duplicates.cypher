// Returns the current memories of a project that have one of two keys, and whether each is past its time.
// read
// $namespace STRING: the caller's namespace
// $project STRING: name of the project
// $text_key STRING: hash of the text
// $source_key STRING: hash of the source, or null
CALL () {
  MATCH (entry:Entry)
  WHERE entry.namespace = $namespace AND entry.project = $project AND entry.text_key STARTS WITH $text_key
  RETURN entry, 'text' AS same
  UNION ALL
  WITH $source_key AS source_key WHERE source_key IS NOT NULL
  MATCH (entry:Entry)
  WHERE entry.namespace = $namespace AND entry.project = $project AND entry.source_key STARTS WITH source_key
  RETURN entry, 'source_ref' AS same
}
RETURN
  entry.id AS id,
  entry.created_at.epochMillis AS created_at,
  same,
  coalesce(entry.expires_at <= datetime(), false) AS expired
ORDER BY expired, same DESC, created_at, id
LIMIT 10
