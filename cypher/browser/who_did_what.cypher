// Who did what.
// The last hundred changes: time, principal, tool, route or command, and the changed records.
WITH 'default' AS namespace
MATCH (change:Change {namespace: namespace})
WHERE change.at > datetime() - duration('P30D')
WITH change
ORDER BY change.at DESC
LIMIT 100
OPTIONAL MATCH (change)-[:CHANGED]->(record)
RETURN change.at AS at, change.by AS by, change.name AS did,
       collect(coalesce(record.name, change.target))[..5] AS to, change.request AS request
ORDER BY at DESC
