// Marks a run of ingestion as ended, with its counts.
// write
// $namespace STRING: the caller's namespace
// $id STRING: the run's id
// $created INTEGER: records that are new
// $updated INTEGER: records that were updated
// $set_aside INTEGER: records that were set aside
MATCH (run:IngestRun {namespace: $namespace, id: $id})
SET run.state = 'done', run.finished_at = datetime(), run.created = $created, run.updated = $updated,
  run.set_aside = $set_aside
