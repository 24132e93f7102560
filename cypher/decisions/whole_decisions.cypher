// Returns complete decisions and proposals with their links; an unknown id or target has no row.
// read
// $namespace STRING: the caller's namespace
// $ids LIST<STRING>: ids of decisions and proposals
// $targets LIST<MAP>: text and key of targets; each returns what is in force, else the latest decision, else drafts
// $most INTEGER: how many items of each list; `totals` counts them all
// $now ZONED DATETIME: the current time
// $reason INTEGER: how many characters of the reason of a supersession
CALL () {
  UNWIND $ids AS id
  MATCH (n:Decision {namespace: $namespace, id: id})
  RETURN id AS asked, n
  UNION ALL
  UNWIND $ids AS id
  MATCH (n:Proposal {namespace: $namespace, id: id})
  RETURN id AS asked, n
  UNION ALL
  UNWIND $targets AS target
  CALL (target) {
    MATCH (n:Decision {namespace: $namespace, target_key: target.key})
    RETURN n
    UNION
    MATCH (n:Decision {namespace: $namespace, target: target.text})
    RETURN n
    UNION
    MATCH (n:Proposal {namespace: $namespace, target_key: target.key})
    WHERE n.status = 'draft'
    RETURN n
  }
  WITH target, n
  ORDER BY coalesce(n.created_at, datetime({epochSeconds: 0})) DESC, n.id
  WITH target, collect(n) AS found
  WITH target, found, [n IN found WHERE n:Decision] AS decided
  WITH target, found, decided, [n IN decided
    WHERE n.status = 'active' AND coalesce(n.valid_until > $now, true) AND coalesce(n.superseded_from > $now, true)
  ] AS in_force
  UNWIND CASE
    WHEN in_force <> [] THEN in_force
    WHEN decided <> [] THEN decided[..1]
    ELSE found[..$most]
  END AS n
  RETURN target.text AS asked, n
}
WITH n, collect(asked) AS asked
// The shortest path to each: there can be very many paths where chains branch and join.
CALL (n) {
  MATCH path = (n)-[:SUPERSEDES*1..]->(old:Decision)
  WITH old, min(length(path)) AS steps
  WHERE old <> n
  WITH old, steps ORDER BY steps, old.created_at DESC, old.id
  RETURN collect({node: old, steps: steps}) AS before
}
CALL (n) {
  MATCH path = (n)<-[:SUPERSEDES*1..]-(successor:Decision)
  WITH successor, min(length(path)) AS steps
  WHERE successor <> n
  WITH successor, steps ORDER BY steps, successor.created_at DESC, successor.id
  RETURN collect({node: successor, steps: steps}) AS after
}
CALL (n, before) {
  WITH n, before, [step IN before | step.node] AS reached
  UNWIND before[..$most] AS step
  WITH n, reached, step, step.node AS old
  WITH step, old, head(COLLECT {
    MATCH (successor)-[edge:SUPERSEDES]->(old)
    WHERE successor = n OR successor IN reached
    RETURN edge ORDER BY edge.at, successor.id LIMIT 1
  }) AS edge
  RETURN collect({
    id: old.id,
    title: coalesce(old.title, old.name, ''),
    status: CASE
      WHEN old.status = 'active' AND old.superseded_from <= $now THEN 'superseded'
      WHEN old.status = 'active' AND old.valid_until <= $now THEN 'expired'
      ELSE coalesce(old.status, 'draft')
    END,
    reason: left(coalesce(edge.reason, ''), $reason),
    at: toString(edge.at),
    by: edge.by,
    steps: step.steps
  }) AS replaced
}
CALL (n, after) {
  WITH n, after, [step IN after | step.node] AS reached
  UNWIND after[..$most] AS step
  WITH n, reached, step, step.node AS successor
  WITH step, successor, head(COLLECT {
    MATCH (successor)-[edge:SUPERSEDES]->(old)
    WHERE old = n OR old IN reached
    RETURN edge ORDER BY edge.at, old.id LIMIT 1
  }) AS edge
  RETURN collect({
    id: successor.id,
    title: coalesce(successor.title, successor.name, ''),
    status: CASE
      WHEN successor.status = 'active' AND successor.superseded_from <= $now THEN 'superseded'
      WHEN successor.status = 'active' AND successor.valid_until <= $now THEN 'expired'
      ELSE coalesce(successor.status, 'draft')
    END,
    reason: left(coalesce(edge.reason, ''), $reason),
    at: toString(edge.at),
    by: edge.by,
    steps: step.steps
  }) AS replaced_by
}
RETURN
  asked,
  n.id AS id,
  CASE WHEN n:Proposal THEN 'proposal' ELSE 'decision' END AS kind,
  // A person may have stored a decision in Neo4j Browser without some of these.
  coalesce(n.title, n.name, '') AS title,
  coalesce(n.target, '') AS target,
  CASE
    WHEN n.status = 'active' AND n.superseded_from <= $now THEN 'superseded'
    WHEN n.status = 'active' AND n.valid_until <= $now THEN 'expired'
    ELSE coalesce(n.status, 'draft')
  END AS status,
  coalesce(n.origin, 'human') AS origin,
  n.created_by AS created_by,
  toString(n.created_at) AS created_at,
  toString(n.effective_at) AS effective_at,
  toString(CASE WHEN n.valid_until < n.superseded_from THEN n.valid_until
    ELSE coalesce(n.superseded_from, n.valid_until) END) AS valid_until,
  coalesce(n.rationale, '') AS rationale,
  n.consequences AS consequences,
  n.alternatives AS alternatives,
  n.alternatives_why_not AS why_not,
  replaced,
  replaced_by,
  COLLECT {
    MATCH (proposal:Proposal)-[:BECAME]->(n)
    RETURN {
      id: proposal.id, title: coalesce(proposal.title, ''), at: toString(proposal.created_at), by: proposal.created_by
    } ORDER BY proposal.created_at, proposal.id LIMIT $most
  } AS proposals,
  COLLECT {
    MATCH (n)-[:EVIDENCED_BY]->(record)
    RETURN {
      id: toString(coalesce(record.id, record.node_id)),
      kind: coalesce(record.label, head([label IN labels(record) WHERE NOT label IN ['Passage', 'Unprojected']])),
      name: coalesce(record.name, '')
    } ORDER BY coalesce(record.node_id, record.id) LIMIT $most
  } AS evidence,
  COLLECT { MATCH (n)-[:ABOUT]->(thing:Entity) RETURN DISTINCT thing.name ORDER BY thing.name LIMIT $most } AS about,
  COLLECT {
    MATCH (n)-[:MENTIONS]->(thing:Entity) RETURN DISTINCT thing.name ORDER BY thing.name LIMIT $most
  } AS mentions,
  COLLECT {
    MATCH (n)-[:REQUIRES]->(other:Decision)
    RETURN DISTINCT {
      id: other.id,
      title: coalesce(other.title, ''),
      status: CASE
        WHEN other.status = 'active' AND other.superseded_from <= $now THEN 'superseded'
        WHEN other.status = 'active' AND other.valid_until <= $now THEN 'expired'
        ELSE coalesce(other.status, 'draft')
      END
    } AS link
    ORDER BY link.id LIMIT $most
  } AS requires,
  COLLECT {
    MATCH (n)<-[:REQUIRES]-(other:Decision)
    RETURN DISTINCT {
      id: other.id,
      title: coalesce(other.title, ''),
      status: CASE
        WHEN other.status = 'active' AND other.superseded_from <= $now THEN 'superseded'
        WHEN other.status = 'active' AND other.valid_until <= $now THEN 'expired'
        ELSE coalesce(other.status, 'draft')
      END
    } AS link
    ORDER BY link.id LIMIT $most
  } AS required_by,
  COLLECT {
    MATCH (n)-[edge:AMENDS|AMENDED_BY|MENTIONS]-(other:Decision)
    RETURN DISTINCT {
      id: other.id,
      title: coalesce(other.title, ''),
      status: CASE
        WHEN other.status = 'active' AND other.superseded_from <= $now THEN 'superseded'
        WHEN other.status = 'active' AND other.valid_until <= $now THEN 'expired'
        ELSE coalesce(other.status, 'draft')
      END,
      relation: type(edge),
      direction: CASE WHEN startNode(edge) = n THEN 'outgoing' ELSE 'incoming' END
    } AS link
    ORDER BY link.direction DESC, link.relation, link.id LIMIT $most
  } AS related,
  {
    replaced: size(before),
    replaced_by: size(after),
    proposals: COUNT { (n)<-[:BECAME]-(:Proposal) },
    evidence: COUNT { (n)-[:EVIDENCED_BY]->() },
    about: COUNT { (n)-[:ABOUT]->(:Entity) },
    mentions: COUNT { (n)-[:MENTIONS]->(:Entity) },
    requires: COUNT { (n)-[:REQUIRES]->(:Decision) },
    required_by: COUNT { (n)<-[:REQUIRES]-(:Decision) },
    related: COUNT { (n)-[:AMENDS|AMENDED_BY|MENTIONS]-(:Decision) }
  } AS totals,
  CASE WHEN n:Proposal THEN {
    confidence: toFloatOrNull(n.confidence),
    first_observed_at: toString(n.first_observed_at),
    suggested_supersedes: coalesce(n.supersedes, []),
    competes_with: COLLECT {
      MATCH (n)-[:COMPETES_WITH]-(other:Proposal {status: 'draft'})
      RETURN other.id ORDER BY other.id LIMIT $most
    },
    became: head([(n)-[:BECAME]->(decision:Decision) | decision.id]),
    decided_by: n.decided_by,
    decided_at: toString(n.decided_at),
    rejection_reason: n.rejection_reason
  } END AS proposal
