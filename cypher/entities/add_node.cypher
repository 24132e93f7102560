// Creates an entity, or merges properties into the entity of that name, and connects it to an insight.
// write
// $namespace STRING: the caller's namespace
// $name STRING: the entity's name
// $name_key STRING: its comparison key
// $node_id INTEGER: a new integer id, used if the entity is created
// $label STRING: its label, as given; used if the entity is created or its label is `Entity`
// $labels LIST<STRING>: the label, if it can be a native label
// $scope STRING: the tag of the namespace in full-text indexes
// $properties MAP<ANY>: encoded properties; null removes one
// $vector_id INTEGER: id of the insight, or null; if it does not exist, nothing is written and no row returned
// $change MAP<ANY>: the entry of the audit trail
OPTIONAL MATCH (insight:Insight {namespace: $namespace, id: $vector_id})
WITH insight
WHERE $vector_id IS NULL OR insight IS NOT NULL
MERGE (entity:Entity {namespace: $namespace, name: $name})
ON CREATE SET
  entity.node_id = $node_id, entity.label = $label, entity:$($labels),
  entity.created_at = datetime(), entity.updated_at = datetime()
WITH entity, insight, coalesce(entity.node_id = $node_id, false) AS created,
  coalesce(entity.label = 'Entity', false) AND $label <> 'Entity' AS plain
// An entity that a link or a relation created has the label `Entity` until a call names its kind.
SET entity.label = CASE WHEN plain THEN $label ELSE entity.label END,
  entity:$(CASE WHEN plain THEN $labels ELSE [] END)
// What a person created by hand gets its id and its keys for indexes here.
SET entity.node_id = coalesce(entity.node_id, $node_id), entity.scope = $scope, entity.name_key = $name_key
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
