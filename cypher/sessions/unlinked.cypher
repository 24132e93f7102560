// Returns a page of the records of a collection that are not connected yet, oldest first.
// read
// $namespace STRING: the collection's namespace
// $collection STRING: its id
// $at INTEGER: time of the last record of the previous page, in epoch milliseconds
// $id STRING: its id
// $limit INTEGER: most records to return
MATCH (record:Collected)
WHERE record.namespace = $namespace AND record.collection = $collection
  AND record.created_at >= datetime({epochMillis: $at}) AND record.id IS NOT NULL
  // CASE, because the planner turns OR into two searches and sorts all their rows.
  AND CASE WHEN record.created_at = datetime({epochMillis: $at}) THEN record.id > $id ELSE true END AND record:Unlinked
// The whole order of the index, so that the planner reads it in that order and no further than the page.
WITH record ORDER BY record.namespace, record.collection, record.created_at, record.id LIMIT $limit
RETURN
  record {.id, .session_id, .prompt, .thought, .response, .title, .summary, .category} AS record,
  record.created_at.epochMillis AS at,
  record.vector AS vector
// From here on `record` is the map above, which has no time.
ORDER BY at, record.id
