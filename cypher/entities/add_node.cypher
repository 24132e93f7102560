// Creates an entity, or merges properties into the one of that name, and ties it to the insight that describes it.
// write
// $namespace STRING: the caller's namespace
// $name STRING: the entity's name
// $node_id INTEGER: a fresh integer, taken where the entity is created
// $label STRING: its label as the caller wrote it, taken where the entity is created or has none but `Entity`
// $labels LIST<STRING>: the label where it can stand natively
// $scope STRING: the namespace's word in full-text indexes
// $properties MAP<ANY>: encoded properties, null where one is to go
// $vector_id INTEGER: id of the insight, or null; where there is no such insight nothing happens and no row comes back
// $change MAP<ANY>: who does what, for the audit trail
OPTIONAL MATCH (insight:Insight {namespace: $namespace, id: $vector_id})
WITH insight
WHERE $vector_id IS NULL OR insight IS NOT NULL
MERGE (entity:Entity {namespace: $namespace, name: $name})
ON CREATE SET
  entity.node_id = $node_id, entity.label = $label, entity:$($labels), entity.scope = $scope,
  entity.created_at = datetime(), entity.updated_at = datetime()
WITH entity, insight, coalesce(entity.node_id = $node_id, false) AS created,
  coalesce(entity.label = 'Entity', false) AND $label <> 'Entity' AS plain
// A thing that was first named by a link or a relation is nothing but an entity until somebody says what it is.
SET entity.label = CASE WHEN plain THEN $label ELSE entity.label END,
  entity:$(CASE WHEN plain THEN $labels ELSE [] END)
// What a person made by hand gets its id and its place in the full-text index here.
SET entity.node_id = coalesce(entity.node_id, $node_id), entity.scope = $scope, entity.name_key = toLower($name)
SET entity += $properties
SET entity.updated_at =
  CASE WHEN size(keys($properties)) = 0 AND insight IS NULL AND NOT plain THEN entity.updated_at ELSE datetime() END
WITH entity, insight, created
CALL (entity, insight) {
  WITH entity, insight
  WHERE insight IS NOT NULL
  OPTIONAL MATCH (entity)-[link:DESCRIBED_BY]->(other:Insight)
    WHERE other <> insight
  DELETE link
  WITH DISTINCT entity, insight
  MERGE (entity)-[:DESCRIBED_BY]->(insight)
}
MERGE (who:Principal {namespace: $namespace, name: $change.by})
CREATE (who)-[:DID]->(:Change $change)-[:CHANGED]->(entity)
RETURN
  entity.node_id AS node_id,
  coalesce(entity.label, head([label IN labels(entity) WHERE NOT label IN ['Entity', 'Unprojected']]), 'Entity') AS label,
  created,
  head([(entity)-[:DESCRIBED_BY]->(described:Insight) | described.id]) AS vector_id
