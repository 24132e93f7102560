// Records a dry run of retention with its rules and its candidates.
// write
// $namespace STRING: the caller's namespace
// $id STRING: the record's id
// $at ZONED DATETIME: the time that the rules refer to
// $by STRING: name of the caller
// $project STRING: the only project that was checked, or null
// $max_age_days FLOAT: the rule of age, or null
// $max_entries_per_project INTEGER: the rule of number, or null
// $candidate_ids LIST<STRING>: ids of the entries that retention would remove
// $age INTEGER: number of candidates by age
// $project_count INTEGER: number of candidates by the number of entries
// $change MAP<ANY>: the entry of the audit trail
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
CREATE (who)-[:DID]->(:Change $change)-[:CHANGED {created: true}]->(audit)
