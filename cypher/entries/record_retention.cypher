// Records that retention was tried, with what was asked and what came of it.
// write
// $namespace STRING: the caller's namespace
// $id STRING: the record's id
// $at ZONED DATETIME: when, or the moment that was asked about
// $by STRING: name of the principal who asked
// $project STRING: the only project that was looked at, or null
// $max_age_days FLOAT: the rule of age, or null
// $max_entries_per_project INTEGER: the rule of number, or null
// $candidate_ids LIST<STRING>: ids of the entries that retention would remove
// $age INTEGER: how many of them for their age
// $project_count INTEGER: how many of them for their number
// $change MAP<ANY>: who does what, for the audit trail
CREATE (audit:Audit {
  namespace: $namespace,
  id: $id,
  name: 'retention dry run, ' + size($candidate_ids) + ' candidates',
  kind: 'retention',
  mode: 'dry-run',
  executed_at: $at,
  created_at: datetime(),
  created_by: $by,
  project: $project,
  max_age_days: $max_age_days,
  max_entries_per_project: $max_entries_per_project,
  candidate_ids: $candidate_ids,
  total_candidates: size($candidate_ids),
  age: $age,
  project_count: $project_count
})
MERGE (who:Principal {namespace: $namespace, name: $change.by})
CREATE (who)-[:DID]->(:Change $change)-[:CHANGED]->(audit)
