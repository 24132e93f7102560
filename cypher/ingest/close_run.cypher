// Notes that a run of ingestion came to its end, and what it did.
// write
// $namespace STRING: the caller's namespace
// $id STRING: the run's id
// $created INTEGER: records that are new
// $updated INTEGER: records that were written again
// $set_aside INTEGER: records that were set aside
MATCH (run:IngestRun {namespace: $namespace, id: $id})
SET run.state = 'done', run.finished_at = datetime(), run.created = $created, run.updated = $updated,
  run.set_aside = $set_aside
