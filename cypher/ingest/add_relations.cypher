// Creates relations of one native type between entities, or gives existing ones new weights and properties.
// write
// $namespace STRING: the caller's namespace
// $type STRING: the native type of all of them
// $rows LIST<MAP>: source, target, relation as it was written, id (a fresh integer), weight or null, encoded properties
UNWIND $rows AS row
MATCH (source:Entity {namespace: $namespace, name: row.source})
MATCH (target:Entity {namespace: $namespace, name: row.target})
MERGE (source)-[edge:$($type) {relation: row.relation}]->(target)
ON CREATE SET edge.edge_id = row.id, edge.created_at = datetime()
WITH row, edge, coalesce(edge.edge_id = row.id, false) AS created
SET edge += row.properties
SET edge.weight = coalesce(row.weight, edge.weight, 1.0), edge.updated_at = datetime(),
  edge.edge_id = coalesce(edge.edge_id, row.id)
RETURN count(CASE WHEN created THEN 1 END) AS created
