// Marks the beginning of a run of ingestion.
// write
// $namespace STRING: the caller's namespace
// $id STRING: the run's id
// $kind STRING: `decisions`, `documents`, `triples`, `golden`, `ground-truth` or `commits`
// $change MAP<ANY>: who does what, for the audit trail
CREATE (run:IngestRun {
  namespace: $namespace, id: $id, name: $kind + ' ' + $id, kind: $kind, state: 'running', started_at: datetime()
})
MERGE (who:Principal {namespace: $namespace, name: $change.by})
CREATE (who)-[:DID]->(:Change $change)-[:CHANGED]->(run)
