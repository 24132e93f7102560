// Notes that a run of ingestion begins to write.
// write
// $namespace STRING: the caller's namespace
// $id STRING: the run's id
// $kind STRING: `decisions`, `documents`, `triples`, `golden` or `ground-truth`
CREATE (:IngestRun {
  namespace: $namespace, id: $id, name: $kind + ' ' + $id, kind: $kind, state: 'running', started_at: datetime()
})
