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
// A name that an entity had before a merge or a rename means that entity, unless an entity has the name itself.
WITH insight, coalesce(head(COLLECT {
  MATCH (:Alias {namespace: $namespace, name_key: $name_key})-[:ALIAS_OF*1..5]->(known:Entity)
  WHERE NOT EXISTS { MATCH (:Entity {namespace: $namespace, name: $name}) }
  RETURN known.name LIMIT 1
}), $name) AS name
WHERE $vector_id IS NULL OR insight IS NOT NULL
MERGE (entity:Entity {namespace: $namespace, name: name})
ON CREATE SET
  entity.node_id = $node_id, entity.label = $label, entity:$($labels),
  entity.created_at = datetime(), entity.updated_at = datetime(), entity.change_operation = $change.operation
WITH entity, insight, coalesce(entity.node_id = $node_id, false) AS created,
  coalesce(entity.label = 'Entity', false) AND $label <> 'Entity' AS plain
WITH entity, insight, created, plain, created OR plain OR size(keys($properties)) > 0 OR insight IS NOT NULL AS changed
MERGE (who:Principal {namespace: $namespace, name: $change.by})
CREATE (who)-[:DID]->(change:Change $change)-[:CHANGED {created: nullif(created, false)}]->(entity)
FOREACH (_ IN CASE WHEN changed AND NOT created THEN [1] ELSE [] END |
  CREATE (change)-[was:WAS]->(entity)
  SET was = properties(entity), was.former_labels = [label IN labels(entity) WHERE label <> 'Unprojected']
)
// An entity that a link or a relation created has the label `Entity` until a call names its kind.
SET entity.label = CASE WHEN plain THEN $label ELSE entity.label END,
  entity:$(CASE WHEN plain THEN $labels ELSE [] END)
// What a person created by hand gets its id and its keys for indexes here.
SET entity.node_id = coalesce(entity.node_id, $node_id), entity.scope = $scope,
  entity.name_key = CASE WHEN entity.name = $name THEN $name_key ELSE entity.name_key END
SET entity += $properties
SET entity.updated_at = CASE WHEN changed THEN datetime() ELSE entity.updated_at END
WITH entity, insight, created, change
CALL (entity, insight, change) {
  WITH entity, insight, change
  WHERE insight IS NOT NULL
  OPTIONAL MATCH (entity)-[link:DESCRIBED_BY]->(other:Insight)
    WHERE other <> insight
  FOREACH (_ IN CASE WHEN link IS NULL THEN [] ELSE [1] END |
    CREATE (entity)-[former:FORMER]->(other)
    SET former = properties(link), former.former_type = 'DESCRIBED_BY',
      former.former_until = change.at, former.former_change = change.id
    DELETE link
  )
  WITH DISTINCT entity, insight, change
  MERGE (entity)-[described:DESCRIBED_BY]->(insight)
  ON CREATE SET described.change_operation = change.operation, described.created_at = change.at
  CREATE (change)-[:CHANGED]->(insight)
}
RETURN
  entity.node_id AS node_id,
  entity.name AS name,
  coalesce(entity.label, head([label IN labels(entity) WHERE NOT label IN ['Entity', 'Unprojected']]), 'Entity') AS label,
  created,
  head([(entity)-[:DESCRIBED_BY]->(described:Insight) | described.id]) AS vector_id
