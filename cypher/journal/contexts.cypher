// Returns every version of every context of an agent, newest first.
// read
// $namespace STRING: the caller's namespace
// $agent_id STRING: the agent
// $limit INTEGER: how many at most
// $offset INTEGER: how many are skipped
MATCH (context:Context {namespace: $namespace, agent_id: $agent_id})
// The order and the conditions name the whole key of the index, so that a page is read from it without sorting.
WHERE context.created_at IS NOT NULL AND context.node_id IS NOT NULL
WITH context
ORDER BY context.namespace DESC, context.agent_id DESC, context.created_at DESC, context.node_id DESC
SKIP $offset LIMIT $limit
RETURN
  context.id AS context_id,
  context.agent_id AS agent_id,
  context.created_at.epochMillis AS timestamp,
  context.context_type AS context_type,
  context.context_data AS context_data,
  context.version AS version,
  context.parent_context_id AS parent_context_id
