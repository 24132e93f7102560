// Newest ingestion.
// The newest ingestion run: its files, and the decisions and memories from them.
WITH 'default' AS namespace
MATCH (run:IngestRun {namespace: namespace})
WITH run ORDER BY run.started_at DESC LIMIT 1
MATCH part = (run)<-[:PART_OF_RUN]-(source:Source)
OPTIONAL MATCH brought = (source)<--(:Decision|Entry)
RETURN part, brought
LIMIT 150
