// Returns one version of an agent's context of a type; without a version, the latest.
// read
// $namespace STRING: the caller's namespace
// $agent_id STRING: the agent
// $context_type STRING: the type
// $version INTEGER: the version, or null
MATCH (series:ContextSeries {namespace: $namespace, agent_id: $agent_id, context_type: $context_type})
MATCH (context:Context {
  namespace: $namespace,
  agent_id: $agent_id,
  context_type: $context_type,
  version: coalesce($version, series.latest)
})
RETURN
  context.id AS context_id,
  context.agent_id AS agent_id,
  context.created_at.epochMillis AS timestamp,
  context.context_type AS context_type,
  context.context_data AS context_data,
  context.version AS version,
  context.parent_context_id AS parent_context_id
