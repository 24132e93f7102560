// Creates relations of one type between entities, or gives existing ones new weights and properties.
// write
// $namespace STRING: the caller's namespace
// $relation STRING: the relation of all rows, as written
// $type STRING: its native type
// $rows LIST<MAP>: source, target, id (a fresh integer), optionally weight and encoded properties
UNWIND $rows AS row
MATCH (source:Entity {namespace: $namespace, name: row.source})
MATCH (target:Entity {namespace: $namespace, name: row.target})
MERGE (source)-[edge:$($type) {relation: $relation}]->(target)
ON CREATE SET
  edge += coalesce(row.properties, {}),
  edge.edge_id = row.id,
  edge.weight = coalesce(row.weight, 1.0),
  edge.created_at = datetime(),
  edge.updated_at = datetime()
ON MATCH SET
  edge += coalesce(row.properties, {}),
  edge.edge_id = coalesce(edge.edge_id, row.id),
  edge.weight = coalesce(row.weight, edge.weight, 1.0),
  edge.updated_at = datetime()
RETURN count(edge) AS written, count(CASE edge.edge_id WHEN row.id THEN 1 END) AS created
