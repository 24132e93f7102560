// Closes a proposal with the reason why it is not to be.
// write
// $namespace STRING: the caller's namespace
// $id STRING: the proposal's id
// $reason STRING: why
// $by STRING: name of the principal who rejects
// $at ZONED DATETIME: when
// $change MAP<ANY>: who does what, for the audit trail
MATCH (proposal:Proposal {namespace: $namespace, id: $id})
SET
  proposal.status = 'rejected',
  proposal.rejection_reason = $reason,
  proposal.decided_by = $by,
  proposal.decided_at = $at
MERGE (who:Principal {namespace: $namespace, name: $change.by})
CREATE (who)-[:DID]->(:Change $change)-[:CHANGED]->(proposal)
