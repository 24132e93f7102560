// Logs a metric of an agent's work.
// write
// $namespace STRING: the caller's namespace
// $agent_id STRING: the agent
// $id STRING: the metric's id
// $node_id INTEGER: its integer id, which also orders the metrics of one millisecond
// $at INTEGER: when, in epoch milliseconds
// $by STRING: name of the principal who logged it
// $name STRING: its caption
// $metric_name STRING: what was measured
// $metric_value FLOAT: the caller's number, integer or decimal
// $unit STRING: its unit, or null
// $associated_task_id STRING: a task, or null
// $metadata STRING: further data as JSON, or null
// $change MAP<ANY>: who does what, for the audit trail
MERGE (agent:JournalAgent {namespace: $namespace, id: $agent_id})
ON CREATE SET agent.name = $agent_id, agent.created_at = datetime({epochMillis: $at})
CREATE (metric:Metric {
  namespace: $namespace,
  id: $id,
  node_id: $node_id,
  name: $name,
  agent_id: $agent_id,
  metric_name: $metric_name,
  metric_value: $metric_value,
  unit: $unit,
  associated_task_id: $associated_task_id,
  metadata: $metadata,
  created_at: datetime({epochMillis: $at}),
  created_by: $by
})-[:IN]->(agent)
MERGE (who:Principal {namespace: $namespace, name: $change.by})
CREATE (who)-[:DID]->(:Change $change)-[:CHANGED {created: true}]->(metric)
