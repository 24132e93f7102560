// Contested targets.
// Drafts that compete with each other, and drafts against a decision in force.
WITH 'default' AS namespace
MATCH (proposal:Proposal {namespace: namespace, status: 'draft'})
WHERE EXISTS { (proposal)-[:COMPETES_WITH]-(:Proposal {status: 'draft'}) }
  OR EXISTS { (proposal)-[:ABOUT]->(:Entity)<-[:ABOUT]-(:Decision {status: 'active'}) }
OPTIONAL MATCH rivals = (proposal)-[:COMPETES_WITH]-(:Proposal {status: 'draft'})
OPTIONAL MATCH against = (proposal)-[:ABOUT]->(:Entity)<-[:ABOUT]-(:Decision {status: 'active'})
RETURN proposal, rivals, against
ORDER BY proposal.target, proposal.created_at
LIMIT 200
