// Stores the summary of a session.
// write
// $namespace STRING: the caller's namespace
// $collection STRING: id of its collection
// $node_id INTEGER: its integer id
// $session_node_id INTEGER: a fresh integer, used where the session has none yet
// $session_id STRING: the session
// $summary MAP<ANY>: id, title, summary, category, memory_count, quality, productivity, impact, complexity,
//   technologies, method, signals (JSON) and created_at
// $by STRING: name of the principal who requested it
// $change MAP<ANY>: who does what, for the audit trail
MATCH (session:Session {namespace: $namespace, id: $session_id})
// Paths run through a session to its summary, and every node of a path needs a node_id.
SET session.node_id = coalesce(session.node_id, $session_node_id)
CREATE (summary:Summary:Collected {
  namespace: $namespace,
  collection: $collection,
  node_id: $node_id,
  label: 'Summary',
  name: $summary.title,
  session_id: $session_id,
  extra: '{}',
  created_by: $by,
  summarised_at: datetime()
})-[:SUMMARISES]->(session)
SET summary += $summary
MERGE (who:Principal {namespace: $namespace, name: $change.by})
CREATE (who)-[:DID]->(change:Change $change)-[:CHANGED {created: true}]->(summary)
// The next summary replaces this node, so the change is connected with the session as well.
CREATE (change)-[:CHANGED]->(session)
RETURN elementId(summary) AS element
