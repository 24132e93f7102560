// Updates a draft of reflection with new evidence; one that was closed meanwhile stays as it is.
// write
// $namespace STRING: the namespace
// $id STRING: the proposal's id
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
// $change MAP<ANY>: the entry of the audit trail
MATCH (proposal:Proposal {namespace: $namespace, id: $id})
SET proposal:Proposal
WITH proposal
WHERE proposal.status = 'draft'
MERGE (who:Principal {namespace: $namespace, name: $change.by})
CREATE (who)-[:DID]->(change:Change $change)-[:CHANGED]->(proposal)
CREATE (change)-[was:WAS]->(proposal)
SET was = properties(proposal)
WITH proposal
SET
  proposal.rationale = $rationale,
  proposal.supersedes = $supersedes,
  proposal.confidence = $confidence,
  proposal.hit_count = $hits,
  proposal.miss_count = $misses,
  proposal.ready = $ready,
  proposal.evidence_from = $evidence_from,
  proposal.evidence_until = $evidence_until,
  proposal.last_observed_at = $last_observed_at,
  proposal.revision = coalesce(proposal.revision, 0) + 1,
  proposal:Reindex
WITH proposal
CALL (proposal) {
  MATCH (proposal)-[old:EVIDENCED_BY]->(record)
  WHERE NOT elementId(record) IN $evidence
  DELETE old
}
CALL (proposal) {
  UNWIND $evidence AS element
  MATCH (record) WHERE elementId(record) = element AND record.namespace = $namespace
  MERGE (proposal)-[:EVIDENCED_BY]->(record)
}
RETURN proposal.id AS id
