// Connects an imported summary to its session; returns no row where it is connected already.
// write
// $namespace STRING: the caller's namespace
// $collection STRING: id of its collection
// $id STRING: its id
// $node_id INTEGER: its integer id
// $session_node_id INTEGER: a fresh integer, used where the session has none yet
MATCH (summary:Collected {namespace: $namespace, collection: $collection, id: $id})
WHERE summary:Unlinked
REMOVE summary:Unlinked
REMOVE summary.vector
SET summary.node_id = $node_id
WITH summary
MATCH (session:Session {namespace: $namespace, id: summary.session_id})
SET session.node_id = coalesce(session.node_id, $session_node_id)
CREATE (summary)-[:SUMMARISES]->(session)
RETURN elementId(summary) AS element
