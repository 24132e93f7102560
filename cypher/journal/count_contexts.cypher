// Counts every version of every context of an agent.
// read
// $namespace STRING: the caller's namespace
// $agent_id STRING: the agent
MATCH (context:Context {namespace: $namespace, agent_id: $agent_id})
// The conditions name the whole key of the index: without them every context is read.
WHERE context.created_at IS NOT NULL AND context.node_id IS NOT NULL
RETURN count(context) AS total
