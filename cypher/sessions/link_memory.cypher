// Connects an imported memory to its session, unless that has been done; where it has, no row comes back.
// write
// $namespace STRING: the caller's namespace
// $collection STRING: id of its collection
// $id STRING: its id
// $node_id INTEGER: its integer id
MATCH (memory:Collected {namespace: $namespace, collection: $collection, id: $id})
WHERE memory:Unlinked
REMOVE memory:Unlinked
REMOVE memory.vector
SET memory.node_id = $node_id
WITH memory
MATCH (session:Session {namespace: $namespace, id: memory.session_id})
CREATE (memory)-[:IN]->(session)
RETURN elementId(memory) AS element
