// What was corrected.
// The newest corrections of all agents: the record, the old and the new value, and the reason.
WITH 'default' AS namespace
MATCH (correction:Correction {namespace: namespace})
WITH correction ORDER BY correction.created_at DESC LIMIT 100
OPTIONAL MATCH (correction)-[:CORRECTS]->(record)
RETURN
  correction.created_at AS at,
  correction.agent_id AS agent,
  correction.correction_type AS type,
  coalesce(record.name, correction.original_entry_id) AS of,
  correction.original_value AS was,
  correction.corrected_value AS became,
  correction.reason AS why
