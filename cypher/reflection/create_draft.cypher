// Stores a draft that reflection proposes, with its evidence, and connects it to the drafts that it competes with.
// write
// $namespace STRING: the namespace
// $id STRING: the proposal's id
// $node_id INTEGER: its integer id
// $element STRING: element id of the entity that it is about
// $stance STRING: `change` or `keep`
// $title STRING: the title
// $target STRING: the target
// $target_key STRING: the target's key
// $rationale STRING: the rationale
// $supersedes LIST<STRING>: ids of the decisions in force that it suggests to replace
// $confidence FLOAT: how sure it is, 0 to 1
// $hits INTEGER: pieces of evidence for it
// $misses INTEGER: pieces of evidence against it
// $ready BOOLEAN: whether it is ready for a review
// $evidence_from ZONED DATETIME: time of the first piece of evidence for it
// $evidence_until ZONED DATETIME: time of the last piece of evidence, for or against it
// $last_observed_at ZONED DATETIME: time of the last piece of evidence for it
// $evidence LIST<STRING>: element ids of the newest evidence for it
// $by STRING: name of the author
// $at ZONED DATETIME: when
// $scope STRING: the tag of the namespace in full-text indexes
// $change MAP<ANY>: the entry of the audit trail
MATCH (entity) WHERE elementId(entity) = $element AND entity.namespace = $namespace
// Takes the write lock: of two drafts for one target at the same moment, the second sees the first.
SET entity:Entity
// Its passages are created by cypher/decisions/reindex_decisions.cypher.
CREATE (proposal:Proposal:Reindex {
  namespace: $namespace,
  id: $id,
  node_id: $node_id,
  name: $title,
  title: $title,
  target: $target,
  target_key: $target_key,
  rationale: $rationale,
  consequences: [],
  alternatives: [],
  alternatives_why_not: [],
  supersedes: $supersedes,
  stance: $stance,
  confidence: $confidence,
  hit_count: $hits,
  miss_count: $misses,
  ready: $ready,
  evidence_from: $evidence_from,
  evidence_until: $evidence_until,
  status: 'draft',
  origin: 'agent',
  created_by: $by,
  created_at: $at,
  first_observed_at: $at,
  last_observed_at: $last_observed_at,
  scope: $scope,
  revision: 1
})-[:ABOUT]->(entity)
MERGE (who:Principal {namespace: $namespace, name: $change.by})
CREATE (who)-[:DID]->(:Change $change)-[:CHANGED {created: true}]->(proposal)
WITH proposal
CALL (proposal) {
  UNWIND $evidence AS element
  MATCH (record) WHERE elementId(record) = element AND record.namespace = $namespace
  CREATE (proposal)-[:EVIDENCED_BY]->(record)
}
CALL (proposal) {
  MATCH (other:Proposal {namespace: $namespace, target_key: $target_key, status: 'draft'})
  WHERE other <> proposal
  WITH proposal, other ORDER BY other.node_id LIMIT 50
  CREATE (proposal)-[:COMPETES_WITH]->(other)
  RETURN count(*) AS competing
}
RETURN competing
