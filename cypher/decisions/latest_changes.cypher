// Returns the latest changes, with their author and the first records that each one changed.
// read
// $namespace STRING: the caller's namespace
// $limit INTEGER: how many changes
// $records INTEGER: how many records of each
MATCH (change:Change {namespace: $namespace})
WHERE change.at IS NOT NULL
WITH change
// The order names the whole key of the index, so that Neo4j reads them from it and sorts nothing.
ORDER BY change.namespace DESC, change.at DESC
LIMIT $limit
RETURN
  toString(change.at) AS at,
  change.by AS by,
  change.name AS what,
  COLLECT {
    MATCH (change)-[:CHANGED]->(record)
    WITH record LIMIT $records
    RETURN {
      kind: coalesce(record.label, head([label IN labels(record) WHERE NOT label IN ['Passage', 'Unprojected']])),
      id: CASE WHEN record:Decision OR record:Proposal THEN record.id END,
      name: coalesce(record.name, '')
    }
  } AS records,
  COUNT { (change)-[:CHANGED]->() } AS changed
