// Returns one page of proposals, newest first, with their evidence, their rivals and their outcome.
// read
// $namespace STRING: the caller's namespace
// $statuses LIST<STRING>: only these statuses
// $target_key STRING: only those about the target of this key, or null for all
// $limit INTEGER: how many at most
// $offset INTEGER: how many to skip
CALL () {
  MATCH (proposal:Proposal {namespace: $namespace})
  WHERE proposal.status IN $statuses AND ($target_key IS NULL OR proposal.target_key = $target_key)
  RETURN count(*) AS total
}
CALL () {
  MATCH (proposal:Proposal {namespace: $namespace})
  WHERE proposal.status IN $statuses AND ($target_key IS NULL OR proposal.target_key = $target_key)
  WITH proposal
  ORDER BY proposal.created_at DESC, proposal.id
  SKIP $offset LIMIT $limit
  RETURN collect({
    id: proposal.id,
    title: coalesce(proposal.title, proposal.name, ''),
    target: coalesce(proposal.target, ''),
    rationale: coalesce(proposal.rationale, ''),
    confidence: toFloatOrNull(proposal.confidence),
    status: proposal.status,
    origin: coalesce(proposal.origin, 'human'),
    proposed_by: proposal.created_by,
    first_observed_at: toString(CASE
      WHEN proposal.first_observed_at IS :: ZONED DATETIME NOT NULL
      THEN datetime({datetime: proposal.first_observed_at, timezone: '+00:00'})
      ELSE datetime.realtime()
    END),
    effective_at: toString(proposal.effective_at),
    valid_until: toString(proposal.valid_until),
    suggested_consequences: coalesce(proposal.consequences, []),
    suggested_supersedes: coalesce(proposal.supersedes, []),
    evidence: COLLECT {
      MATCH (proposal)-[:EVIDENCED_BY]->(record)
      RETURN {
        id: toString(coalesce(record.id, record.node_id)),
        kind: coalesce(record.label, head([label IN labels(record) WHERE NOT label IN ['Passage', 'Unprojected']])),
        name: coalesce(record.name, '')
      } ORDER BY coalesce(record.node_id, record.id)
    },
    competes_with: COLLECT {
      MATCH (proposal)-[:COMPETES_WITH]-(other:Proposal {status: 'draft'})
      RETURN other.id ORDER BY other.id
    },
    became: head([(proposal)-[:BECAME]->(decision:Decision) | decision.id]),
    decided_by: proposal.decided_by,
    rejection_reason: proposal.rejection_reason
  }) AS proposals
}
RETURN total, proposals
