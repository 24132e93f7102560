// Creates relations of one native type between entities, or gives existing ones new weights and properties.
// write
// $namespace STRING: the caller's namespace
// $type STRING: the native type of all of them
// $rows LIST<MAP>: source, target, relation as it was written, id (a fresh integer), weight or null, encoded properties
UNWIND $rows AS row
MATCH (source:Entity {namespace: $namespace, name: row.source})
MATCH (target:Entity {namespace: $namespace, name: row.target})
MERGE (source)-[edge:$($type) {relation: row.relation}]->(target)
ON CREATE SET
  edge += row.properties,
  edge.edge_id = row.id,
  edge.weight = coalesce(row.weight, 1.0),
  edge.created_at = datetime(),
  edge.updated_at = datetime()
ON MATCH SET
  edge += row.properties,
  edge.edge_id = coalesce(edge.edge_id, row.id),
  edge.weight = coalesce(row.weight, edge.weight, 1.0),
  edge.updated_at = datetime()
RETURN count(CASE edge.edge_id WHEN row.id THEN 1 END) AS created
