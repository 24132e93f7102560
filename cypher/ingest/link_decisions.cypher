// Links decisions to the records that they name, and removes ingested links to others.
// write
// $namespace STRING: the caller's namespace
// $rows LIST<MAP>: id, links (pairs of type and id), edges (type, other, edge_id of the same links)
UNWIND $rows AS row
MATCH (decision:Decision {namespace: $namespace, id: row.id})
CALL (decision, row) {
  MATCH (decision)-[stale {ingested: true}]->(other:Decision)
  WHERE NOT [type(stale), other.id] IN row.links
  DELETE stale
}
WITH decision, row
UNWIND row.edges AS link
MATCH (other:Decision {namespace: $namespace, id: link.other})
MERGE (decision)-[edge:$(link.type) {relation: link.type}]->(other)
ON CREATE SET
  edge.edge_id = link.edge_id, edge.weight = 1.0, edge.ingested = true, edge.created_at = datetime(),
  edge.updated_at = datetime()
