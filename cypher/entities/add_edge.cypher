// Creates a relation and its missing entities, or updates the weight and properties of the existing relation.
// write
// $namespace STRING: the caller's namespace
// $source STRING: name of the source entity
// $source_key STRING: its comparison key
// $source_id INTEGER: a new integer id, used if that entity is created
// $source_label STRING: its label, as given
// $source_labels LIST<STRING>: that label, if it can be a native label
// $target STRING: name of the target entity
// $target_key STRING: as $source_key
// $target_id INTEGER: a new integer id; $source_id if the names are the same
// $target_label STRING: its label, as given
// $target_labels LIST<STRING>: that label, if it can be a native label
// $scope STRING: the tag of the namespace in full-text indexes
// $create_missing BOOLEAN: false: both entities must exist, else nothing is written and no row returned
// $relation STRING: the relation, as given
// $type STRING: its native type
// $edge_id INTEGER: a new integer id, used if the relation is created
// $weight FLOAT: new weight, or null: an existing relation keeps its own, a new one has 1.0
// $properties MAP<ANY>: encoded properties; null removes one
// $change MAP<ANY>: the entry of the audit trail
// A name that an entity had before a merge or a rename means that entity, unless an entity has the name itself.
WITH
  coalesce(head(COLLECT {
    MATCH (:Alias {namespace: $namespace, name_key: $source_key})-[:ALIAS_OF*1..5]->(known:Entity)
    WHERE NOT EXISTS { MATCH (:Entity {namespace: $namespace, name: $source}) }
    RETURN known.name LIMIT 1
  }), $source) AS source_name,
  coalesce(head(COLLECT {
    MATCH (:Alias {namespace: $namespace, name_key: $target_key})-[:ALIAS_OF*1..5]->(known:Entity)
    WHERE NOT EXISTS { MATCH (:Entity {namespace: $namespace, name: $target}) }
    RETURN known.name LIMIT 1
  }), $target) AS target_name
WHERE $create_missing OR (
  EXISTS { MATCH (:Entity {namespace: $namespace, name: source_name}) }
  AND EXISTS { MATCH (:Entity {namespace: $namespace, name: target_name}) }
)
// Both ends are created and locked in the order of their names: else two callers who relate them in opposite directions
// would wait for each other.
CALL (source_name, target_name) {
  UNWIND [
    {end: 'source', name: source_name, given: $source, key: $source_key, node_id: $source_id, label: $source_label,
      labels: $source_labels},
    {end: 'target', name: target_name, given: $target, key: $target_key, node_id: $target_id, label: $target_label,
      labels: $target_labels}
  ] AS thing
  WITH thing ORDER BY thing.name, thing.end
  MERGE (entity:Entity {namespace: $namespace, name: thing.name})
  ON CREATE SET
    entity.node_id = thing.node_id, entity.label = thing.label, entity:$(thing.labels),
    entity.created_at = datetime(), entity.updated_at = datetime(), entity.change_operation = $change.operation
  // Takes the lock of the node at once: two writers that share it first would block each other.
  SET entity:Entity
  WITH thing, entity, coalesce(entity.node_id = thing.node_id, false) AS created
  // What a person created by hand gets its id and its keys for indexes here; setting an equal value writes nothing.
  SET entity.node_id = coalesce(entity.node_id, thing.node_id), entity.scope = $scope,
    entity.name_key = CASE WHEN entity.name = thing.given THEN thing.key ELSE entity.name_key END
  WITH thing, entity, created ORDER BY thing.end
  RETURN collect(entity) AS ends, collect(created) AS ends_created
}
WITH ends[0] AS source, ends[1] AS target, ends_created[0] AS source_created, ends_created[1] AS target_created
MERGE (source)-[edge:$($type) {relation: $relation}]->(target)
ON CREATE SET
  edge.edge_id = $edge_id, edge.created_at = datetime(), edge.updated_at = datetime(),
  edge.change_operation = $change.operation
WITH *, coalesce(edge.edge_id = $edge_id, false) AS created
WITH *, size(keys($properties)) > 0 OR $weight IS NOT NULL AS changed
MERGE (who:Principal {namespace: $namespace, name: $change.by})
CREATE (who)-[:DID]->(change:Change $change)-[:CHANGED {created: nullif(source_created, false)}]->(source)
// A hub that is only the target has no link to the change: whoever reads its neighbours would read past it.
FOREACH (_ IN CASE WHEN target_created AND source <> target THEN [1] ELSE [] END |
  CREATE (change)-[:CHANGED {created: true}]->(target)
)
FOREACH (_ IN CASE WHEN changed AND NOT created THEN [1] ELSE [] END |
  CREATE (source)-[former:FORMER]->(target)
  SET former = properties(edge), former.former_type = type(edge), former.former_until = change.at,
    former.former_change = change.id
)
SET edge += $properties
SET edge.weight = coalesce($weight, edge.weight, 1.0)
SET edge.updated_at = CASE WHEN changed THEN datetime() ELSE edge.updated_at END
SET edge.edge_id = coalesce(edge.edge_id, $edge_id)
RETURN
  edge.edge_id AS edge_id,
  source.node_id AS source_node_id,
  target.node_id AS target_node_id,
  source.name AS source_name,
  target.name AS target_name,
  edge.weight AS weight,
  created, source_created, target_created,
  coalesce(
    source.label, head([label IN labels(source) WHERE NOT label IN ['Entity', 'Unprojected']]), 'Entity'
  ) AS source_label,
  coalesce(
    target.label, head([label IN labels(target) WHERE NOT label IN ['Entity', 'Unprojected']]), 'Entity'
  ) AS target_label
