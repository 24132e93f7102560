// Stores the next version in a locked series of contexts, unless its parent is unknown: then there is no row.
// write
// $namespace STRING: the caller's namespace
// $agent_id STRING: the agent whose context it is
// $context_type STRING: its type
// $id STRING: the context's id
// $node_id INTEGER: its integer id, which also orders the contexts of one millisecond
// $at INTEGER: when, in epoch milliseconds
// $by STRING: name of the principal who stored it
// $name STRING: its caption, to which the version is added
// $context_data STRING: the data as JSON
// $parent_context_id STRING: id of its parent, or null
// $change MAP<ANY>: who does what, for the audit trail
OPTIONAL MATCH (parent:Context {namespace: $namespace, id: $parent_context_id})
WITH parent WHERE $parent_context_id IS NULL OR parent IS NOT NULL
MATCH (series:ContextSeries {namespace: $namespace, agent_id: $agent_id, context_type: $context_type})
SET series.latest = series.latest + 1
CREATE (context:Context {
  namespace: $namespace,
  id: $id,
  node_id: $node_id,
  name: $name + ' v' + toString(series.latest),
  agent_id: $agent_id,
  context_type: $context_type,
  version: series.latest,
  context_data: $context_data,
  parent_context_id: $parent_context_id,
  created_at: datetime({epochMillis: $at}),
  created_by: $by
})-[:IN]->(series)
FOREACH (_ IN CASE WHEN parent IS NULL THEN [] ELSE [1] END | CREATE (context)-[:CHILD_OF]->(parent))
MERGE (who:Principal {namespace: $namespace, name: $change.by})
CREATE (who)-[:DID]->(:Change $change)-[:CHANGED {created: true}]->(context)
RETURN context.version AS version
