// Proposals waiting.
// Proposals to accept or reject, with their evidence, their competitors and what they would replace.
WITH 'default' AS namespace
MATCH about = (proposal:Proposal {namespace: namespace, status: 'draft'})-[:ABOUT]->(target:Entity)
OPTIONAL MATCH evidence = (proposal)-[:EVIDENCED_BY]->()
OPTIONAL MATCH rivals = (proposal)-[:COMPETES_WITH]-(:Proposal {status: 'draft'})
OPTIONAL MATCH replaces = (target)<-[:ABOUT]-(:Decision {status: 'active'})
RETURN about, evidence, rivals, replaces
ORDER BY proposal.first_observed_at
LIMIT 200
