// Stores the summary of a session.
// write
// $namespace STRING: the caller's namespace
// $collection STRING: id of the collection that it goes into
// $node_id INTEGER: its integer id
// $session_node_id INTEGER: a fresh integer, taken where the session has none yet
// $session_id STRING: the session
// $summary MAP<ANY>: id, title, summary, category, memory_count, quality, productivity, impact, complexity, technologies,
//   method, signals (JSON) and created_at
// $by STRING: name of the principal who asked for it
// $change MAP<ANY>: who does what, for the audit trail
MATCH (session:Session {namespace: $namespace, id: $session_id})
// Paths run through a session to its summary, so it needs what every node on a path has.
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
CREATE (who)-[:DID]->(change:Change $change)-[:CHANGED]->(summary)
// The next summary takes this one's place: the session is what is left to tell.
CREATE (change)-[:CHANGED]->(session)
RETURN elementId(summary) AS element
