// Returns a page of an agent's metrics, newest first.
// read
// $namespace STRING: the caller's namespace
// $agent_id STRING: the agent
// $metric_name STRING: only this name, or null for all
// $limit INTEGER: how many at most
// $offset INTEGER: how many are skipped
MATCH (metric:Metric {namespace: $namespace, agent_id: $agent_id})
// The order and the conditions name the whole key of the index, so that a page is read from it without sorting.
WHERE metric.created_at IS NOT NULL AND metric.node_id IS NOT NULL
  AND ($metric_name IS NULL OR metric.metric_name = $metric_name)
WITH metric
ORDER BY metric.namespace DESC, metric.agent_id DESC, metric.created_at DESC, metric.node_id DESC
SKIP $offset LIMIT $limit
RETURN
  metric.id AS metric_id,
  metric.agent_id AS agent_id,
  metric.created_at.epochMillis AS timestamp,
  metric.metric_name AS metric_name,
  metric.metric_value AS metric_value,
  metric.unit AS unit,
  metric.associated_task_id AS associated_task_id,
  metric.metadata AS metadata
