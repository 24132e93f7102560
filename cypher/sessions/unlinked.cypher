// Returns the next records of a collection that are not connected yet, oldest first.
// read
// $namespace STRING: the collection's namespace
// $collection STRING: its id
// $at INTEGER: time in epoch milliseconds of the last record that was seen to
// $id STRING: its id
// $limit INTEGER: how many at most
MATCH (record:Collected)
WHERE record.namespace = $namespace AND record.collection = $collection
  AND record.created_at >= datetime({epochMillis: $at}) AND record.id IS NOT NULL
  // As an OR it would be planned as two searches, whose rows are sorted all.
  AND CASE WHEN record.created_at = datetime({epochMillis: $at}) THEN record.id > $id ELSE true END AND record:Unlinked
// The whole order of the index, so that it is read in that order and no further than the page.
WITH record ORDER BY record.namespace, record.collection, record.created_at, record.id LIMIT $limit
RETURN
  record {.id, .session_id, .prompt, .thought, .response, .title, .summary, .category} AS record,
  record.created_at.epochMillis AS at,
  record.vector AS vector
// `record` is what is told from here on, which has no time of its own.
ORDER BY at, record.id
