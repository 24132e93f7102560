// Stores a decision in force for a target; where another one is in force, it stores nothing and returns no row.
// write
// $namespace STRING: the caller's namespace
// $id STRING: the decision's id
// $node_id INTEGER: the decision's integer id
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
  // Of several that were in force before targets had a key, the constraint covers one.
  MATCH (other:Decision {namespace: $namespace, target_key: $target_key})
  WHERE other.active_target IS NOT NULL
  // A decision that has expired no longer holds its target.
  FOREACH (expired IN CASE WHEN other.valid_until <= $at THEN [other] ELSE [] END | REMOVE expired.active_target)
  RETURN count(CASE WHEN other.valid_until <= $at THEN null ELSE other END) AS others
}
WITH others
WHERE others = 0
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
MERGE (who:Principal {namespace: $namespace, name: $change.by})
CREATE (who)-[:DID]->(:Change $change)-[:CHANGED {created: true}]->(decision)
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
