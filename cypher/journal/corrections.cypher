// Returns a page of an agent's corrections, newest first.
// read
// $namespace STRING: the caller's namespace
// $agent_id STRING: the agent
// $correction_type STRING: only this type, or null for all
// $limit INTEGER: how many at most
// $offset INTEGER: how many are skipped
MATCH (correction:Correction {namespace: $namespace, agent_id: $agent_id})
// The order and the conditions name the whole key of the index, so that a page is read from it without sorting.
WHERE correction.created_at IS NOT NULL AND correction.node_id IS NOT NULL
  AND ($correction_type IS NULL OR correction.correction_type = $correction_type)
WITH correction
ORDER BY correction.namespace DESC, correction.agent_id DESC, correction.created_at DESC, correction.node_id DESC
SKIP $offset LIMIT $limit
RETURN
  correction.id AS correction_id,
  correction.agent_id AS agent_id,
  correction.created_at.epochMillis AS timestamp,
  correction.correction_type AS correction_type,
  correction.original_entry_id AS original_entry_id,
  correction.original_value AS original_value,
  correction.corrected_value AS corrected_value,
  correction.reason AS reason,
  correction.applied_automatically AS applied_automatically
