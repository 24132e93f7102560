// Returns a page of metrics with the texts in which names of entities are looked for, oldest first.
// read
// $namespace STRING: the namespace
// $at ZONED DATETIME: time of the last metric of the previous page
// $number INTEGER: its integer id
// $limit INTEGER: how many at most
MATCH (metric:Metric)
WHERE metric.namespace = $namespace AND metric.created_at >= $at AND metric.node_id IS NOT NULL
  // CASE, because the planner turns OR into two searches and sorts all their rows.
  AND CASE WHEN metric.created_at = $at THEN metric.node_id > $number ELSE true END
WITH metric ORDER BY metric.namespace, metric.created_at, metric.node_id LIMIT $limit
RETURN
  elementId(metric) AS element,
  metric.created_at AS at,
  metric.node_id AS number,
  [text IN [metric.metric_name, metric.associated_task_id, metric.metadata] WHERE text IS NOT NULL | left(toString(text), 2000)] AS texts
ORDER BY at, number
