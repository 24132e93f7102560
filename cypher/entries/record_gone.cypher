// Records that the file of a retired document is missing.
// write
// $namespace STRING: the caller's namespace
// $id STRING: the entry's id
// $uri STRING: address of the document
// $by STRING: name of the principal who looked for it
// $run STRING: id of the run of ingestion, or null
// $change MAP<ANY>: the entry of the audit trail
MATCH (entry:Entry {namespace: $namespace, id: $id})
MATCH (source:Source {namespace: $namespace, uri: $uri})
SET source.state = 'gone', source.gone_at = entry.superseded_at, source.gone_by = $by
WITH entry, source
CALL (source) {
  MATCH (run:IngestRun {namespace: $namespace, id: $run})
  MERGE (source)-[:PART_OF_RUN]->(run)
}
MERGE (who:Principal {namespace: $namespace, name: $change.by})
CREATE (who)-[:DID]->(:Change $change)-[:CHANGED]->(entry)
