// Returns a proposal as far as it takes to decide about it.
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
  coalesce(proposal.supersedes, []) AS supersedes,
  coalesce(proposal.status, 'draft') AS status,
  proposal.rejection_reason AS reason,
  head([(proposal)-[:BECAME]->(decision:Decision) | decision.id]) AS became,
  // What nobody knows the age of is young: a person may have left it out in Neo4j Browser.
  toString(CASE
    WHEN proposal.first_observed_at IS :: ZONED DATETIME NOT NULL
    THEN datetime({datetime: proposal.first_observed_at, timezone: '+00:00'})
    ELSE datetime.realtime()
  END) AS first_observed_at
