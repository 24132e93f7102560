// Returns those of the given entries that were active at a time, and which of them have another text since.
// read
// $namespace STRING: the caller's namespace
// $records LIST<INTEGER>: integer ids of entries
// $as_of ZONED DATETIME: the time
UNWIND $records AS record
CALL (record) {
  MATCH (entry:Entry {namespace: $namespace, node_id: record})
  RETURN entry
  UNION
  MATCH (entry:Retracted {namespace: $namespace, node_id: record})
  WHERE 'Entry' IN entry.retracted_from
  RETURN entry
}
WITH entry
WHERE entry.created_at <= $as_of
  AND (NOT entry:Retracted OR entry.retracted_at > $as_of)
  AND coalesce(entry.superseded_at > $as_of, true)
  AND coalesce(entry.archived_at > $as_of, true)
  AND coalesce(entry.valid_until > $as_of, true)
  // One that ended at an unknown time does not count.
  AND (entry.status = 'active' OR entry.superseded_at > $as_of OR entry.archived_at > $as_of
    OR entry.valid_until > $as_of)
RETURN DISTINCT entry.node_id AS record, EXISTS {
  MATCH (change:Change)-[was:WAS]->(entry)
  WHERE change.at > $as_of AND was.body <> entry.body
} AS rewritten
