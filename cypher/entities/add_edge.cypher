// Creates a relation between two entities, and the entities, or gives the existing one a new weight and properties.
// write
// $namespace STRING: the caller's namespace
// $source STRING: name of the entity it starts from
// $source_id INTEGER: a fresh integer, taken where that entity is created
// $source_label STRING: its label as the caller wrote it
// $source_labels LIST<STRING>: that label where it can stand natively
// $target STRING: name of the entity it leads to
// $target_id INTEGER: a fresh integer, the same as $source_id where the names are the same
// $target_label STRING: its label as the caller wrote it
// $target_labels LIST<STRING>: that label where it can stand natively
// $scope STRING: the namespace's word in full-text indexes
// $relation STRING: the relation as the caller wrote it
// $type STRING: its native type
// $edge_id INTEGER: a fresh integer, taken where the relation is created
// $weight FLOAT: new weight, or null: an existing relation keeps its own, a new one has 1.0
// $properties MAP<ANY>: encoded properties, null where one is to go
// $change MAP<ANY>: who does what, for the audit trail
MERGE (source:Entity {namespace: $namespace, name: $source})
ON CREATE SET
  source.node_id = $source_id, source.label = $source_label, source:$($source_labels), source.scope = $scope,
  source.created_at = datetime(), source.updated_at = datetime()
MERGE (target:Entity {namespace: $namespace, name: $target})
ON CREATE SET
  target.node_id = $target_id, target.label = $target_label, target:$($target_labels), target.scope = $scope,
  target.created_at = datetime(), target.updated_at = datetime()
MERGE (source)-[edge:$($type) {relation: $relation}]->(target)
ON CREATE SET edge.edge_id = $edge_id, edge.created_at = datetime(), edge.updated_at = datetime()
WITH source, target, edge,
  coalesce(edge.edge_id = $edge_id, false) AS created,
  coalesce(source.node_id = $source_id, false) AS source_created,
  coalesce(target.node_id = $target_id, false) AS target_created
SET edge += $properties
SET edge.weight = coalesce($weight, edge.weight, 1.0)
SET edge.updated_at =
  CASE WHEN size(keys($properties)) = 0 AND $weight IS NULL THEN edge.updated_at ELSE datetime() END
// What a person made by hand gets its id and its place in the full-text index here.
SET edge.edge_id = coalesce(edge.edge_id, $edge_id)
SET source.node_id = coalesce(source.node_id, $source_id), source.scope = $scope, source.name_key = toLower($source)
SET target.node_id = coalesce(target.node_id, $target_id), target.scope = $scope, target.name_key = toLower($target)
MERGE (who:Principal {namespace: $namespace, name: $change.by})
CREATE (who)-[:DID]->(:Change $change)-[:CHANGED]->(source)
RETURN
  edge.edge_id AS edge_id,
  source.node_id AS source_node_id,
  target.node_id AS target_node_id,
  edge.weight AS weight,
  created, source_created, target_created
