// Marks a proposal as accepted and copies its links to the decision that it became.
// write
// $namespace STRING: the caller's namespace
// $id STRING: the proposal's id
// $decision_id STRING: id of the decision
// $by STRING: name of the principal who accepts
// $at ZONED DATETIME: when
// $change MAP<ANY>: the entry of the audit trail
MATCH (proposal:Proposal {namespace: $namespace, id: $id})
MATCH (decision:Decision {namespace: $namespace, id: $decision_id})
MERGE (who:Principal {namespace: $namespace, name: $change.by})
CREATE (who)-[:DID]->(change:Change $change)-[:CHANGED]->(proposal)
CREATE (change)-[was:WAS]->(proposal)
SET was = properties(proposal)
WITH proposal, decision
SET proposal.status = 'accepted', proposal.decided_by = $by, proposal.decided_at = $at
CREATE (proposal)-[:BECAME]->(decision)
WITH proposal, decision
CALL (proposal, decision) {
  MATCH (proposal)-[link:ABOUT|MENTIONS|REQUIRES|EVIDENCED_BY]->(other)
  MERGE (decision)-[:$(type(link))]->(other)
}
