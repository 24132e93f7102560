// Renames an entity, and the targets of that name; the old name still finds it.
// write
// $namespace STRING: the caller's namespace
// $name STRING: the entity's name
// $new_name STRING: its new name
// $new_key STRING: the comparison key of the new name
// $alias_id INTEGER: a new integer id, for the old name
// $reason STRING: why
// $change MAP<ANY>: the entry of the audit trail
MATCH (entity:Entity {namespace: $namespace, name: $name})
MERGE (who:Principal {namespace: $namespace, name: $change.by})
CREATE (who)-[:DID]->(change:Change $change)-[:CHANGED]->(entity)
SET change.reason = $reason
CREATE (change)-[was:WAS]->(entity)
SET was = properties(entity), was.former_labels = [label IN labels(entity) WHERE label <> 'Unprojected']
CREATE (change)-[:CHANGED {created: true}]->(:Alias {
  namespace: $namespace,
  node_id: $alias_id,
  label: 'Alias',
  name: entity.name,
  name_key: entity.name_key,
  created_at: change.at,
  created_by: change.by
})-[:ALIAS_OF]->(entity)
WITH change, entity, entity.name_key AS old_key
SET entity.name = $new_name, entity.name_key = $new_key, entity.updated_at = datetime()
WITH change, entity, old_key
CALL (change, old_key) {
  CALL (old_key) {
    MATCH (n:Decision {namespace: $namespace, target_key: old_key}) RETURN n
    UNION
    MATCH (n:Proposal {namespace: $namespace, target_key: old_key}) RETURN n
  }
  WITH change, n
  WHERE old_key <> $new_key
  CREATE (change)-[:CHANGED]->(n)
  CREATE (change)-[was:WAS]->(n)
  SET was = properties(n)
  SET n.target_key = $new_key, n.active_target = CASE WHEN n.active_target IS NULL THEN null ELSE $new_key END
  RETURN count(n) AS targets
}
RETURN change.id AS change_id, targets
