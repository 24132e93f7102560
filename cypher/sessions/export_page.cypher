// Returns a page of what collections hold, oldest first, with the vectors that Qdrant does not hold yet.
// read
// $namespace STRING: the caller's namespace
// $collections LIST<STRING>: ids of the collections
// $kind STRING: what the keys of their own passages begin with
// $at INTEGER: time in epoch milliseconds of the last record of the page before
// $id STRING: its id
// $limit INTEGER: how many at most
UNWIND $collections AS collection
CALL (collection) {
  MATCH (record:Collected)
  WHERE record.namespace = $namespace AND record.collection = collection
    AND record.created_at >= datetime({epochMillis: $at}) AND record.id IS NOT NULL
    // As an OR it would be planned as two searches, whose rows are sorted all.
    AND CASE WHEN record.created_at = datetime({epochMillis: $at}) THEN record.id > $id ELSE true END
  RETURN record
  // The whole order of the index, so that it is read in that order and no further than the page.
  ORDER BY record.namespace, record.collection, record.created_at, record.id
  LIMIT $limit
}
WITH record
ORDER BY record.created_at, record.id
LIMIT $limit
OPTIONAL MATCH (whole:Passage {namespace: $namespace, id: $kind + ':' + record.id})
RETURN
  record {
    .id, .session_id, .prompt, .thought, .response, .title, .summary, .category, .memory_count, .quality, .productivity,
    .impact, .complexity, .technologies, .method, .extra
  } AS record,
  record.created_at.epochMillis AS at,
  coalesce(record.vector, whole.vector) AS vector
// `record` is what is told from here on, which has no time of its own.
ORDER BY at, record.id
