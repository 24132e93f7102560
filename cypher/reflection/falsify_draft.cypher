// Closes a draft of reflection that evidence speaks against, with the reason.
// write
// $namespace STRING: the namespace
// $id STRING: the proposal's id
// $reason STRING: what speaks against it
// $hits INTEGER: pieces of evidence for it
// $misses INTEGER: pieces of evidence against it
// $evidence_until ZONED DATETIME: time of the last piece of evidence, or null where there is none
// $by STRING: name of who closes it
// $at ZONED DATETIME: when
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
  proposal.status = 'falsified',
  proposal.rejection_reason = $reason,
  proposal.hit_count = $hits,
  proposal.miss_count = $misses,
  proposal.confidence = 0.0,
  proposal.ready = false,
  proposal.evidence_until = coalesce($evidence_until, proposal.evidence_until),
  proposal.decided_by = $by,
  proposal.decided_at = $at
RETURN proposal.id AS id
