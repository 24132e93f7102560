// Marks a proposal as rejected, with the reason.
// write
// $namespace STRING: the caller's namespace
// $id STRING: the proposal's id
// $reason STRING: why it is rejected
// $content_key STRING: key of its rationale: a memory that repeats it is recognised
// $by STRING: name of the principal who rejects
// $at ZONED DATETIME: when
// $change MAP<ANY>: the entry of the audit trail
MATCH (proposal:Proposal {namespace: $namespace, id: $id})
MERGE (who:Principal {namespace: $namespace, name: $change.by})
CREATE (who)-[:DID]->(change:Change $change)-[:CHANGED]->(proposal)
CREATE (change)-[was:WAS]->(proposal)
SET was = properties(proposal)
WITH proposal
SET
  proposal.status = 'rejected',
  proposal.rejection_reason = $reason,
  proposal.content_key = $content_key,
  proposal.decided_by = $by,
  proposal.decided_at = $at
