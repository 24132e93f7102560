// Stores a decision in force in place of others, which keep who replaced them, when and why.
// write
// $namespace STRING: the caller's namespace
// $old_ids LIST<STRING>: the decisions that it replaces
// $id STRING: the new decision's id
// $node_id INTEGER: the new decision's integer id
// $title STRING: the title
// $target STRING: the target, as the caller wrote it
// $target_key STRING: the target's key; a constraint allows one decision in force for it
// $rationale STRING: the rationale
// $consequences LIST<STRING>: the consequences
// $alternatives LIST<STRING>: rejected options
// $alternatives_why_not LIST<STRING>: why each of them was rejected; empty where unknown
// $origin STRING: `human` or `agent`
// $by STRING: name of the principal who decided
// $at ZONED DATETIME: when
// $effective_at ZONED DATETIME: from when it holds, or null for $at
// $valid_until ZONED DATETIME: when it ends by itself, or null
// $scope STRING: the tag of the namespace in full-text indexes
// $things LIST<MAP>: entities to link: name, key, link (ABOUT or MENTIONS), node_id for a new one
// $passages LIST<MAP>: properties of the passages that it is found by
// $requires LIST<STRING>: ids of the decisions that it depends on
// $evidence LIST<STRING>: element ids of the records that support it
// $change MAP<ANY>: the entry of the audit trail
CALL () {
  // An expired decision no longer holds its target.
  MATCH (expired:Decision {namespace: $namespace, target_key: $target_key})
  WHERE expired.active_target IS NOT NULL AND expired.valid_until <= $at AND NOT expired.id IN $old_ids
  REMOVE expired.active_target
}
MERGE (who:Principal {namespace: $namespace, name: $change.by})
CREATE (who)-[:DID]->(change:Change $change)
WITH change
CALL (change) {
  // What an old one was to replace later ends with it at the latest.
  MATCH (ending:Decision {namespace: $namespace, target_key: $target_key})
  WHERE ending.status = 'active' AND ending.active_target IS NULL AND NOT ending.id IN $old_ids
    AND ending.superseded_from > coalesce($effective_at, $at)
    AND EXISTS { MATCH (ending)<-[:SUPERSEDES*1..30]-(planned:Decision) WHERE planned.id IN $old_ids }
  CREATE (change)-[was:WAS]->(ending)
  SET was = properties(ending)
  CREATE (change)-[:CHANGED]->(ending)
  SET ending.superseded_from = coalesce($effective_at, $at), ending.superseded_at = $at,
    ending.status = CASE WHEN $effective_at > $at THEN 'active' ELSE 'superseded' END
}
CALL (change) {
  // One row also where nothing is replaced.
  MATCH (old:Decision {namespace: $namespace})
  WHERE old.id IN $old_ids
  CREATE (change)-[was:WAS]->(old)
  SET was = properties(old)
  WITH old
  // Until the new one takes effect, the old one stays active.
  SET old.status = CASE WHEN $effective_at > $at THEN 'active' ELSE 'superseded' END,
    old.superseded_by = $id,
    old.superseded_at = $at,
    old.superseded_from = $effective_at
  REMOVE old.active_target
  RETURN collect(old) AS replaced
}
CREATE (decision:Decision {
  namespace: $namespace,
  id: $id,
  node_id: $node_id,
  name: $title,
  title: $title,
  target: $target,
  target_key: $target_key,
  rationale: $rationale,
  consequences: $consequences,
  alternatives: $alternatives,
  alternatives_why_not: $alternatives_why_not,
  status: 'active',
  active_target: $target_key,
  origin: $origin,
  created_by: $by,
  created_at: $at,
  effective_at: $effective_at,
  valid_until: $valid_until,
  scope: $scope,
  revision: 1
})
FOREACH (old IN replaced | CREATE (decision)-[:SUPERSEDES {reason: $rationale, at: $at, by: $by}]->(old))
CREATE (change)-[:CHANGED {created: true}]->(decision)
FOREACH (old IN replaced | CREATE (change)-[:CHANGED]->(old))
WITH decision
CALL (decision) {
  UNWIND $things AS thing
  // In one order everywhere: two writers who wait for each other's entities would block each other.
  WITH decision, thing ORDER BY thing.name
  MERGE (entity:Entity {namespace: $namespace, name: thing.name})
  ON CREATE SET
    entity.node_id = thing.node_id, entity.label = 'Entity', entity.created_at = $at, entity.updated_at = $at,
    entity.change_operation = $change.operation
  // Takes the write lock at once: two transactions that share a read lock and both want to write would deadlock.
  SET entity:Entity
  // An entity that is new or made by hand gets what it lacks; setting an equal value writes nothing.
  SET entity.node_id = coalesce(entity.node_id, thing.node_id), entity.scope = $scope, entity.name_key = thing.key
  CREATE (decision)-[:$(thing.link)]->(entity)
}
CALL (decision) {
  UNWIND $passages AS properties
  CREATE (passage:Passage:Unprojected)-[:PASSAGE_OF]->(decision)
  SET passage = properties
}
CALL (decision) {
  UNWIND $requires AS id
  MATCH (required:Decision {namespace: $namespace, id: id})
  CREATE (decision)-[:REQUIRES]->(required)
  RETURN count(*) AS requires
}
CALL (decision) {
  UNWIND $evidence AS element
  MATCH (record) WHERE elementId(record) = element AND record.namespace = $namespace
  CREATE (decision)-[:EVIDENCED_BY]->(record)
  RETURN count(*) AS evidence
}
RETURN requires, evidence
