// Returns what accepting or rejecting a proposal needs.
// read
// $namespace STRING: the caller's namespace
// $id STRING: the proposal's id
MATCH (proposal:Proposal {namespace: $namespace, id: $id})
RETURN
  proposal.id AS id,
  coalesce(proposal.title, proposal.name, '') AS title,
  coalesce(proposal.target, '') AS target,
  coalesce(proposal.rationale, '') AS rationale,
  coalesce(proposal.consequences, []) AS consequences,
  coalesce(proposal.alternatives, []) AS alternatives,
  coalesce(proposal.alternatives_why_not, []) AS alternatives_why_not,
  // The entity of its target may be written in another case.
  head([(proposal)-[:ABOUT]->(thing:Entity) WHERE thing.name_key = proposal.target_key | thing.name]) AS thing,
  coalesce(proposal.supersedes, []) AS supersedes,
  toString(proposal.effective_at) AS effective_at,
  toString(proposal.valid_until) AS valid_until,
  coalesce(proposal.status, 'draft') AS status,
  proposal.rejection_reason AS reason,
  head([(proposal)-[:BECAME]->(decision:Decision) | decision.id]) AS became,
  // A person may have stored it in Neo4j Browser without this time: then its age is 0.
  toString(CASE
    WHEN proposal.first_observed_at IS :: ZONED DATETIME NOT NULL
    THEN datetime({datetime: proposal.first_observed_at, timezone: '+00:00'})
    ELSE datetime.realtime()
  END) AS first_observed_at
