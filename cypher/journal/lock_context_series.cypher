// Locks an agent's contexts of one type until the transaction ends; a second writer waits here.
// write
// $namespace STRING: the caller's namespace
// $agent_id STRING: the agent
// $context_type STRING: the type
// $at INTEGER: now, in epoch milliseconds
MERGE (agent:JournalAgent {namespace: $namespace, id: $agent_id})
ON CREATE SET agent.name = $agent_id, agent.created_at = datetime({epochMillis: $at})
MERGE (series:ContextSeries {namespace: $namespace, agent_id: $agent_id, context_type: $context_type})
ON CREATE SET series.name = $context_type, series.latest = 0, series.created_at = datetime({epochMillis: $at})
MERGE (series)-[:IN]->(agent)
// Setting a label takes the node's lock. The number that the lock protects is read by the next statement: within this
// one the planner may read it before the lock is held.
SET series:ContextSeries
