// Changes of today.
// The changes of this day (UTC) by ingestion run, operation and principal, with their memories.
WITH 'default' AS namespace
MATCH (change:Change {namespace: namespace})
WHERE change.at >= datetime.truncate('day', datetime())
OPTIONAL MATCH (change)-[:CHANGED]->(record)
OPTIONAL MATCH (record)-[:FROM]->(:Source)-[:PART_OF_RUN]->(run:IngestRun)
WITH change, record, coalesce(run.name, CASE WHEN record:IngestRun THEN record.name END) AS run
RETURN run, change.name AS operation, change.by AS by, count(DISTINCT change) AS changes,
       count(DISTINCT record) AS records, count(DISTINCT CASE WHEN record:Entry THEN record END) AS memories,
       collect(DISTINCT record.name)[..5] AS names, max(change.at) AS latest
ORDER BY run IS NULL, run, latest DESC
LIMIT 200
