// Returns complete decisions and proposals as they were at another time, with the ids of what they were linked to.
// read
// $namespace STRING: the caller's namespace
// $as_of ZONED DATETIME: the time that is asked about
// $known_at ZONED DATETIME: only what was known at this time counts
// $retracted BOOLEAN: whether what was retracted by then is returned too
// $ids LIST<STRING>: ids of decisions and proposals
// $targets LIST<MAP>: text and key of targets; each returns what was in force, else the latest decision, else drafts
// $most INTEGER: how many items of each list
// $reason INTEGER: how many characters of the reason of a supersession
CALL () {
  UNWIND $ids AS id
  CALL (id) {
    MATCH (n:Decision {namespace: $namespace, id: id})
    RETURN n
    UNION ALL
    MATCH (n:Proposal {namespace: $namespace, id: id})
    RETURN n
    UNION ALL
    MATCH (n:Retracted {namespace: $namespace, id: id})
    RETURN n
  }
  RETURN id AS asked, n, true AS by_id
  UNION ALL
  UNWIND $targets AS target
  CALL (target) {
    MATCH (n:Decision {namespace: $namespace, target_key: target.key})
    RETURN n
    UNION
    MATCH (n:Decision {namespace: $namespace, target: target.text})
    RETURN n
    UNION
    MATCH (n:Retracted {namespace: $namespace, target_key: target.key})
    RETURN n
    UNION
    MATCH (n:Proposal {namespace: $namespace, target_key: target.key})
    RETURN n
  }
  RETURN target.text AS asked, n, false AS by_id
}
WITH asked, n, by_id
WHERE any(label IN labels(n) + coalesce(n.retracted_from, []) WHERE label IN ['Decision', 'Proposal'])
  AND coalesce(n.created_at <= $known_at, true)
  AND ('Proposal' IN labels(n) + coalesce(n.retracted_from, [])
    OR coalesce(coalesce(n.effective_at, n.created_at) <= $as_of, true))
  AND ($retracted OR coalesce(n.retracted_at > $known_at, true))
WITH asked, by_id, n, CASE
  WHEN n.retracted_at <= $known_at THEN 'retracted'
  WHEN n.status IN ['active', 'superseded'] AND EXISTS {
    // What it was replaced by takes effect; or what replaced that one, and so on.
    MATCH (n) (()<-[e:SUPERSEDES|FORMER WHERE coalesce(e.at <= $known_at, true)
      AND coalesce(e.former_type, 'SUPERSEDES') = 'SUPERSEDES' AND coalesce(e.former_until > $known_at, true)
    ]-()){1,30} (later)
    WHERE coalesce(later.effective_at, later.created_at) <= $as_of
  } THEN 'superseded'
  // The properties keep when it was replaced where the record that replaced it was retracted since.
  WHEN n.status IN ['active', 'superseded'] AND coalesce(
    n.superseded_at <= $known_at AND coalesce(n.superseded_from, n.superseded_at) <= $as_of,
    n.status = 'superseded' AND NOT EXISTS { (n)<-[:SUPERSEDES]-() }
  ) THEN 'superseded'
  WHEN n.status IN ['active', 'superseded'] AND n.valid_until <= $as_of THEN 'expired'
  WHEN n.status = 'superseded' THEN 'active'
  WHEN n.status IN ['accepted', 'rejected', 'falsified'] AND n.decided_at > $known_at THEN 'draft'
  ELSE coalesce(n.status, 'draft')
END AS status
WITH asked, by_id, n, status,
  CASE WHEN 'Proposal' IN labels(n) + coalesce(n.retracted_from, []) THEN 'proposal' ELSE 'decision' END AS kind
ORDER BY coalesce(n.created_at, datetime({epochSeconds: 0})) DESC, n.id
WITH asked, by_id, collect({n: n, status: status, kind: kind}) AS found
WITH asked, by_id, found, [each IN found WHERE each.kind = 'decision'] AS decided
WITH asked, by_id, found, decided, [each IN decided WHERE each.status = 'active'] AS in_force
UNWIND CASE
  WHEN by_id THEN found
  WHEN in_force <> [] THEN in_force
  WHEN decided <> [] THEN decided[..1]
  ELSE [each IN found WHERE each.status = 'draft'][..$most]
END AS each
WITH each.n AS n, each.status AS status, each.kind AS kind, collect(asked) AS asked
CALL (n) {
  MATCH (n) (()-[e:SUPERSEDES|FORMER WHERE coalesce(e.at <= $known_at, true)
    AND coalesce(e.former_type, 'SUPERSEDES') = 'SUPERSEDES' AND coalesce(e.former_until > $known_at, true)
  ]->()){1,30} (other)
  WITH DISTINCT other, e ORDER BY size(e)
  WITH other, head(collect(e)) AS e
  WHERE other <> n
  WITH other, size(e) AS steps, last(e) AS edge
  ORDER BY steps, other.created_at DESC, other.id LIMIT $most
  RETURN collect({
    id: other.id,
    reason: left(coalesce(edge.reason, ''), $reason),
    at: toString(edge.at),
    by: edge.by,
    steps: steps
  }) AS replaced
}
CALL (n) {
  MATCH (n) (()<-[e:SUPERSEDES|FORMER WHERE coalesce(e.at <= $known_at, true)
    AND coalesce(e.former_type, 'SUPERSEDES') = 'SUPERSEDES' AND coalesce(e.former_until > $known_at, true)
  ]-()){1,30} (other)
  WITH DISTINCT other, e ORDER BY size(e)
  WITH other, head(collect(e)) AS e
  WHERE other <> n
  WITH other, size(e) AS steps, last(e) AS edge
  ORDER BY steps, other.created_at DESC, other.id LIMIT $most
  RETURN collect({
    id: other.id,
    reason: left(coalesce(edge.reason, ''), $reason),
    at: toString(edge.at),
    by: edge.by,
    steps: steps
  }) AS replaced_by
}
RETURN
  asked,
  n.id AS id,
  kind,
  // A person may have stored a decision in Neo4j Browser without some of these.
  coalesce(n.title, n.name, '') AS title,
  coalesce(n.target, '') AS target,
  status,
  coalesce(n.origin, 'human') AS origin,
  n.created_by AS created_by,
  toString(n.created_at) AS created_at,
  toString(n.effective_at) AS effective_at,
  toString(n.valid_until) AS valid_until,
  CASE status WHEN 'retracted' THEN
    {at: toString(n.retracted_at), by: n.retracted_by, reason: n.retracted_reason}
  END AS retracted,
  coalesce(n.rationale, '') AS rationale,
  n.consequences AS consequences,
  n.alternatives AS alternatives,
  n.alternatives_why_not AS why_not,
  replaced,
  replaced_by,
  COLLECT {
    MATCH (n)<-[e:BECAME|FORMER]-(proposal)
    WHERE coalesce(e.former_type, type(e)) IN ['BECAME']
      AND coalesce(e.former_until > $known_at, true) AND coalesce(e.created_at <= $known_at, true)
    RETURN {
      id: proposal.id, title: coalesce(proposal.title, ''), at: toString(proposal.created_at), by: proposal.created_by
    } ORDER BY proposal.created_at, proposal.id LIMIT $most
  } AS proposals,
  COLLECT {
    MATCH (n)-[e:EVIDENCED_BY|FORMER]->(record)
    WHERE coalesce(e.former_type, type(e)) IN ['EVIDENCED_BY']
      AND coalesce(e.former_until > $known_at, true) AND coalesce(e.created_at <= $known_at, true)
    RETURN {
      id: toString(coalesce(record.id, record.node_id)),
      kind: coalesce(record.label, head([label IN labels(record) WHERE NOT label IN ['Passage', 'Unprojected']])),
      name: coalesce(record.name, '')
    } ORDER BY coalesce(record.node_id, record.id) LIMIT $most
  } AS evidence,
  COLLECT {
    MATCH (n)-[e:ABOUT|FORMER]->(thing)
    WHERE coalesce(e.former_type, type(e)) IN ['ABOUT']
      AND coalesce(e.former_until > $known_at, true) AND coalesce(e.created_at <= $known_at, true)
    RETURN DISTINCT thing.name ORDER BY thing.name LIMIT $most
  } AS about,
  COLLECT {
    MATCH (n)-[e:MENTIONS|FORMER]->(thing)
    WHERE coalesce(e.former_type, type(e)) IN ['MENTIONS']
      AND coalesce(e.former_until > $known_at, true) AND coalesce(e.created_at <= $known_at, true)
      AND NOT thing:Decision
    RETURN DISTINCT thing.name ORDER BY thing.name LIMIT $most
  } AS mentions,
  COLLECT {
    MATCH (n)-[e:REQUIRES|FORMER]->(other)
    WHERE coalesce(e.former_type, type(e)) IN ['REQUIRES']
      AND coalesce(e.former_until > $known_at, true) AND coalesce(e.created_at <= $known_at, true)
    RETURN DISTINCT {id: other.id} AS link ORDER BY link.id LIMIT $most
  } AS requires,
  COLLECT {
    MATCH (n)<-[e:REQUIRES|FORMER]-(other)
    WHERE coalesce(e.former_type, type(e)) IN ['REQUIRES']
      AND coalesce(e.former_until > $known_at, true) AND coalesce(e.created_at <= $known_at, true)
    RETURN DISTINCT {id: other.id} AS link ORDER BY link.id LIMIT $most
  } AS required_by,
  COLLECT {
    MATCH (n)-[e:AMENDS|AMENDED_BY|MENTIONS|FORMER]-(other)
    WHERE coalesce(e.former_type, type(e)) IN ['AMENDS', 'AMENDED_BY', 'MENTIONS']
      AND coalesce(e.former_until > $known_at, true) AND coalesce(e.created_at <= $known_at, true)
      AND other.rationale IS NOT NULL
    RETURN DISTINCT {
      id: other.id,
      relation: coalesce(e.former_type, type(e)),
      direction: CASE WHEN startNode(e) = n THEN 'outgoing' ELSE 'incoming' END
    } AS link
    ORDER BY link.direction DESC, link.relation, link.id LIMIT $most
  } AS related,
  CASE kind WHEN 'proposal' THEN {
    confidence: toFloatOrNull(n.confidence),
    first_observed_at: toString(n.first_observed_at),
    suggested_supersedes: coalesce(n.supersedes, []),
    competes_with: [],
    became: CASE status WHEN 'accepted' THEN head([(n)-[:BECAME]->(decision) | decision.id]) END,
    decided_by: CASE WHEN status <> 'draft' THEN n.decided_by END,
    decided_at: CASE WHEN status <> 'draft' THEN toString(n.decided_at) END,
    rejection_reason: CASE status WHEN 'rejected' THEN n.rejection_reason END
  } END AS proposal
