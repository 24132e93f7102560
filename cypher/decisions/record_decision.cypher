// Records a decision in force for a target; the target becomes an entity where it is none yet.
// write
// $namespace STRING: the caller's namespace
// $id STRING: the decision's id
// $node_id INTEGER: the decision's integer id
// $title STRING: what was decided, in a few words
// $target STRING: what it is about; a constraint holds that only one decision is in force for it
// $rationale STRING: why
// $consequences LIST<STRING>: what follows from it
// $origin STRING: `human` or `agent`
// $by STRING: name of the principal who decided
// $at ZONED DATETIME: when
// $scope STRING: the word that stands for the namespace in full-text indexes
// $entity_node_id INTEGER: the integer id of the target's entity, where it is created
// $change MAP<ANY>: who does what, for the audit trail
MERGE (about:Entity {namespace: $namespace, name: $target})
ON CREATE SET
  about.label = 'Entity',
  about.node_id = $entity_node_id,
  about.scope = $scope,
  about.name_key = toLower($target),
  about.created_at = $at,
  about.updated_at = $at
CREATE (decision:Decision:Unprojected {
  namespace: $namespace,
  id: $id,
  node_id: $node_id,
  name: $title,
  title: $title,
  target: $target,
  rationale: $rationale,
  consequences: $consequences,
  status: 'active',
  active_target: $target,
  origin: $origin,
  created_by: $by,
  created_at: $at,
  scope: $scope,
  revision: 1
})-[:ABOUT]->(about)
MERGE (who:Principal {namespace: $namespace, name: $change.by})
CREATE (who)-[:DID]->(:Change $change)-[:CHANGED]->(decision)
RETURN decision.id AS id, decision.revision AS revision
