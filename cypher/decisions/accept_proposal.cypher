// Closes a proposal with the decision that it became, which keeps its evidence.
// write
// $namespace STRING: the caller's namespace
// $id STRING: the proposal's id
// $decision_id STRING: id of the decision
// $by STRING: name of the principal who accepts
// $at ZONED DATETIME: when
// $change MAP<ANY>: who does what, for the audit trail
MATCH (proposal:Proposal {namespace: $namespace, id: $id})
MATCH (decision:Decision {namespace: $namespace, id: $decision_id})
SET proposal.status = 'accepted', proposal.decided_by = $by, proposal.decided_at = $at
CREATE (proposal)-[:BECAME]->(decision)
MERGE (who:Principal {namespace: $namespace, name: $change.by})
CREATE (who)-[:DID]->(:Change $change)-[:CHANGED]->(proposal)
WITH proposal, decision
CALL (proposal, decision) {
  MATCH (proposal)-[:EVIDENCED_BY]->(record)
  CREATE (decision)-[:EVIDENCED_BY]->(record)
}
