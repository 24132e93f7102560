// Sets how sure a draft of reflection is now: time passed, and there is no new evidence.
// write
// $namespace STRING: the namespace
// $id STRING: the proposal's id
// $confidence FLOAT: how sure it is, 0 to 1
// $ready BOOLEAN: whether it is ready for a review
MATCH (proposal:Proposal {namespace: $namespace, id: $id})
SET proposal:Proposal
WITH proposal
WHERE proposal.status = 'draft'
SET proposal.confidence = $confidence, proposal.ready = $ready
RETURN proposal.id AS id
