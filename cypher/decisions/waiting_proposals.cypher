// Returns the newest proposals that are neither accepted nor rejected.
// read
// $namespace STRING: the caller's namespace
// $limit INTEGER: how many at most
MATCH (proposal:Proposal {namespace: $namespace, status: 'draft'})
WITH proposal
ORDER BY proposal.created_at DESC, proposal.id
LIMIT $limit
RETURN
  proposal.id AS id,
  coalesce(proposal.title, proposal.name, '') AS title,
  coalesce(proposal.target, '') AS target,
  proposal.created_by AS by
