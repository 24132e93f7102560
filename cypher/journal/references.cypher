// Returns a page of an agent's reference keys, newest first.
// read
// $namespace STRING: the caller's namespace
// $agent_id STRING: the agent
// $key_type STRING: only this type, or null for all
// $limit INTEGER: how many at most
// $offset INTEGER: how many are skipped
MATCH (reference:Reference {namespace: $namespace, agent_id: $agent_id})
// The order and the conditions name the whole key of the index, so that a page is read from it without sorting.
WHERE reference.created_at IS NOT NULL AND reference.node_id IS NOT NULL
  AND ($key_type IS NULL OR reference.key_type = $key_type)
WITH reference
ORDER BY reference.namespace DESC, reference.agent_id DESC, reference.created_at DESC, reference.node_id DESC
SKIP $offset LIMIT $limit
RETURN
  reference.id AS reference_id,
  reference.agent_id AS agent_id,
  reference.key_type AS key_type,
  reference.key_value AS key_value,
  reference.description AS description,
  reference.created_at.epochMillis AS timestamp,
  reference.associated_conversation_id AS associated_conversation_id
