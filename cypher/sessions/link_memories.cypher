// Connects imported memories to their session; skips those that are connected already.
// write
// $namespace STRING: the caller's namespace
// $collection STRING: id of their collection
// $session_id STRING: the session
// $memories LIST<MAP>: id and node_id (a fresh integer) of each
MATCH (session:Session {namespace: $namespace, id: $session_id})
UNWIND $memories AS each
MATCH (memory:Collected {namespace: $namespace, collection: $collection, id: each.id})
WHERE memory:Unlinked
REMOVE memory:Unlinked
REMOVE memory.vector
SET memory.node_id = each.node_id
CREATE (memory)-[:IN]->(session)
RETURN each.id AS id, elementId(memory) AS element
