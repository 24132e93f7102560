// Links decisions to the people and things that they name, and removes ingested links to others.
// write
// $namespace STRING: the caller's namespace
// $rows LIST<MAP>: id, links (pairs of type and name), edges (type, other, edge_id of the same links)
UNWIND $rows AS row
MATCH (decision:Decision {namespace: $namespace, id: row.id})
CALL (decision, row) {
  MATCH (decision)-[stale {ingested: true}]->(other:Entity)
  WHERE NOT [type(stale), other.name] IN row.links
  DELETE stale
}
WITH decision, row
UNWIND row.edges AS link
MATCH (other:Entity {namespace: $namespace, name: link.other})
MERGE (decision)-[edge:$(link.type) {relation: link.type}]->(other)
ON CREATE SET
  edge.edge_id = link.edge_id, edge.weight = 1.0, edge.ingested = true, edge.created_at = datetime(),
  edge.updated_at = datetime()
