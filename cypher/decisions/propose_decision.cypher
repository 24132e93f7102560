// Stores a proposal with its evidence, beside the drafts about the same target that it competes with.
// write
// $namespace STRING: the caller's namespace
// $id STRING: the proposal's id
// $node_id INTEGER: the proposal's integer id
// $title STRING: what is to be decided, in a few words
// $target STRING: what it is about
// $rationale STRING: why
// $consequences LIST<STRING>: what would follow from it
// $supersedes LIST<STRING>: ids of the decisions that it is to replace
// $confidence FLOAT: how sure its author is, 0 to 1
// $evidence LIST<STRING>: element ids of the records that speak for it
// $origin STRING: `human` or `agent`
// $by STRING: name of the principal who proposes
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
// Setting a label takes the node's lock: of two who propose about it at once, the second one sees the first one's.
SET about:Entity
WITH about
CALL (about) {
  MATCH (about)<-[:ABOUT]-(other:Proposal {status: 'draft'})
  RETURN collect(other)[..50] AS others
}
CREATE (proposal:Proposal:Unprojected {
  namespace: $namespace,
  id: $id,
  node_id: $node_id,
  name: $title,
  title: $title,
  target: $target,
  rationale: $rationale,
  consequences: $consequences,
  supersedes: $supersedes,
  confidence: $confidence,
  status: 'draft',
  origin: $origin,
  created_by: $by,
  created_at: $at,
  first_observed_at: $at,
  last_observed_at: $at,
  scope: $scope,
  revision: 1
})-[:ABOUT]->(about)
FOREACH (other IN others | CREATE (proposal)-[:COMPETES_WITH]->(other))
MERGE (who:Principal {namespace: $namespace, name: $change.by})
CREATE (who)-[:DID]->(:Change $change)-[:CHANGED]->(proposal)
WITH proposal, size(others) AS competing
CALL (proposal) {
  UNWIND $evidence AS element
  MATCH (record) WHERE elementId(record) = element AND record.namespace = $namespace
  CREATE (proposal)-[:EVIDENCED_BY]->(record)
  RETURN count(*) AS evidence
}
RETURN competing, evidence
