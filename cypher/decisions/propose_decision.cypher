// Stores a proposal with its evidence, and connects it to the drafts about its target, which it competes with.
// write
// $namespace STRING: the caller's namespace
// $id STRING: the proposal's id
// $node_id INTEGER: the proposal's integer id
// $title STRING: the title
// $target STRING: the target, as the caller wrote it
// $target_key STRING: the target's key
// $rationale STRING: the rationale
// $consequences LIST<STRING>: the suggested consequences
// $supersedes LIST<STRING>: ids of the decisions that it suggests to replace
// $confidence FLOAT: how sure its author is, 0 to 1
// $alternatives LIST<STRING>: rejected options
// $alternatives_why_not LIST<STRING>: why each of them was rejected; empty where unknown
// $origin STRING: `human` or `agent`
// $by STRING: name of the principal who proposes
// $at ZONED DATETIME: when
// $effective_at ZONED DATETIME: from when it holds, or null for $at
// $valid_until ZONED DATETIME: when it ends by itself, or null
// $scope STRING: the tag of the namespace in full-text indexes
// $things LIST<MAP>: entities to link: name, key, link (ABOUT or MENTIONS), node_id for a new one
// $passages LIST<MAP>: properties of the passages that it is found by
// $requires LIST<STRING>: ids of the decisions that it depends on
// $evidence LIST<STRING>: element ids of the records that support it
// $change MAP<ANY>: the entry of the audit trail
CREATE (proposal:Proposal {
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
  supersedes: $supersedes,
  confidence: $confidence,
  status: 'draft',
  origin: $origin,
  created_by: $by,
  created_at: $at,
  effective_at: $effective_at,
  valid_until: $valid_until,
  first_observed_at: $at,
  last_observed_at: $at,
  scope: $scope,
  revision: 1
})
MERGE (who:Principal {namespace: $namespace, name: $change.by})
CREATE (who)-[:DID]->(:Change $change)-[:CHANGED {created: true}]->(proposal)
WITH proposal
CALL (proposal) {
  UNWIND $things AS thing
  // In one order everywhere: two writers who wait for each other's entities would block each other.
  WITH proposal, thing ORDER BY thing.name
  MERGE (entity:Entity {namespace: $namespace, name: thing.name})
  ON CREATE SET
    entity.node_id = thing.node_id, entity.label = 'Entity', entity.created_at = $at, entity.updated_at = $at,
    entity.change_operation = $change.operation
  // Takes the write lock at once: two transactions that share a read lock and both want to write would deadlock.
  SET entity:Entity
  // An entity that is new or made by hand gets what it lacks; setting an equal value writes nothing.
  SET entity.node_id = coalesce(entity.node_id, thing.node_id), entity.scope = $scope, entity.name_key = thing.key
  CREATE (proposal)-[:$(thing.link)]->(entity)
}
CALL (proposal) {
  UNWIND $passages AS properties
  CREATE (passage:Passage:Unprojected)-[:PASSAGE_OF]->(proposal)
  SET passage = properties
}
CALL (proposal) {
  UNWIND $requires AS id
  MATCH (required:Decision {namespace: $namespace, id: id})
  CREATE (proposal)-[:REQUIRES]->(required)
  RETURN count(*) AS requires
}
CALL (proposal) {
  UNWIND $evidence AS element
  MATCH (record) WHERE elementId(record) = element AND record.namespace = $namespace
  CREATE (proposal)-[:EVIDENCED_BY]->(record)
  RETURN count(*) AS evidence
}
// A second proposal at the same moment has waited for the lock of the entity, so it sees the first one.
CALL (proposal) {
  MATCH (other:Proposal {namespace: $namespace, target_key: $target_key, status: 'draft'})
  WHERE other <> proposal
  WITH proposal, other ORDER BY other.node_id LIMIT 50
  CREATE (proposal)-[:COMPETES_WITH]->(other)
  RETURN count(*) AS competing
}
RETURN competing, requires, evidence
