// Returns a page of the records of collections, oldest first, with the vectors that are not in Qdrant yet.
// read
// $namespace STRING: the caller's namespace
// $collections LIST<STRING>: ids of the collections
// $family STRING: the beginning of the keys of their own passages
// $at INTEGER: time of the last record of the previous page, in epoch milliseconds
// $id STRING: its id
// $limit INTEGER: most records to return
UNWIND $collections AS collection
CALL (collection) {
  MATCH (record:Collected)
  WHERE record.namespace = $namespace AND record.collection = collection
    AND record.created_at >= datetime({epochMillis: $at}) AND record.id IS NOT NULL
    // CASE, because the planner turns OR into two searches and sorts all their rows.
    AND CASE WHEN record.created_at = datetime({epochMillis: $at}) THEN record.id > $id ELSE true END
  RETURN record
  // The whole order of the index, so that the planner reads it in that order and no further than the page.
  ORDER BY record.namespace, record.collection, record.created_at, record.id
  LIMIT $limit
}
WITH record
ORDER BY record.created_at, record.id
LIMIT $limit
OPTIONAL MATCH (whole:Passage {namespace: $namespace, id: $family + ':' + record.id})
RETURN
  record {
    .id, .session_id, .prompt, .thought, .response, .title, .summary, .category, .memory_count, .quality, .productivity,
    .impact, .complexity, .technologies, .method, .extra
  } AS record,
  record.created_at.epochMillis AS at,
  coalesce(record.vector, whole.vector) AS vector
// From here on `record` is the map above, which has no time.
ORDER BY at, record.id
