// Returns the decisions and proposals about a target, each with its reason and what replaced it, at a time.
// read
// $namespace STRING: the caller's namespace
// $as_of ZONED DATETIME: the time that is asked about
// $known_at ZONED DATETIME: only what was known at this time counts
// $retracted BOOLEAN: whether what was retracted by then is returned too
// $name STRING: id of a decision or proposal, or a target as the caller wrote it
// $key STRING: the key of that target
// $most INTEGER: how many of them, and how many items of each list
// $text INTEGER: how many characters of a text
CALL () {
  MATCH (n:Decision {namespace: $namespace, id: $name})
  RETURN n
  UNION
  MATCH (n:Proposal {namespace: $namespace, id: $name})
  RETURN n
  UNION
  MATCH (n:Retracted {namespace: $namespace, id: $name})
  RETURN n
  UNION
  MATCH (n:Decision {namespace: $namespace, target_key: $key})
  RETURN n
  UNION
  MATCH (n:Decision {namespace: $namespace, target: $name})
  RETURN n
  UNION
  MATCH (n:Proposal {namespace: $namespace, target_key: $key})
  RETURN n
  UNION
  MATCH (n:Retracted {namespace: $namespace, target_key: $key})
  RETURN n
}
WITH collect(n) AS named
CALL (named) {
  UNWIND named AS n
  RETURN n
  UNION
  UNWIND named AS one
  WITH DISTINCT one.target_key AS key
  CALL (key) {
    MATCH (n:Decision {namespace: $namespace, target_key: key})
    RETURN n
    UNION
    MATCH (n:Proposal {namespace: $namespace, target_key: key})
    RETURN n
    UNION
    MATCH (n:Retracted {namespace: $namespace, target_key: key})
    RETURN n
  }
  RETURN n
  UNION
  // A chain may lead to decisions about other targets.
  UNWIND named AS one
  MATCH (one) (()-[e:SUPERSEDES|FORMER WHERE coalesce(e.former_type, 'SUPERSEDES') = 'SUPERSEDES']->()){1,30} (n)
  RETURN DISTINCT n
  UNION
  UNWIND named AS one
  MATCH (n) (()-[e:SUPERSEDES|FORMER WHERE coalesce(e.former_type, 'SUPERSEDES') = 'SUPERSEDES']->()){1,30} (one)
  RETURN DISTINCT n
}
WITH n
WHERE any(label IN labels(n) + coalesce(n.retracted_from, []) WHERE label IN ['Decision', 'Proposal'])
  AND coalesce(n.created_at <= $known_at, true)
  AND ($retracted OR coalesce(n.retracted_at > $known_at, true))
WITH n, CASE
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
ORDER BY coalesce(n.effective_at, n.created_at) DESC, n.id
WITH collect({n: n, status: status}) AS found
CALL (found) {
  UNWIND found[..$most] AS each
  WITH each.n AS n, each.status AS status
  RETURN collect({
    id: n.id,
    kind: CASE WHEN 'Proposal' IN labels(n) + coalesce(n.retracted_from, []) THEN 'proposal' ELSE 'decision' END,
    begun: coalesce(coalesce(n.effective_at, n.created_at) <= $as_of, true),
    title: coalesce(n.title, n.name, ''),
    target: coalesce(n.target, ''),
    status: status,
    origin: coalesce(n.origin, 'human'),
    by: n.created_by,
    at: toString(n.created_at),
    effective_at: toString(n.effective_at),
    valid_until: toString(n.valid_until),
    why: left(coalesce(n.rationale, ''), $text + 1),
    alternatives: n.alternatives,
    why_not: n.alternatives_why_not,
    evidence: COLLECT {
      MATCH (n)-[e:EVIDENCED_BY|FORMER]->(record)
      WHERE coalesce(e.former_type, type(e)) IN ['EVIDENCED_BY']
        AND coalesce(e.former_until > $known_at, true) AND coalesce(e.created_at <= $known_at, true)
      RETURN {
        id: toString(coalesce(record.id, record.node_id)),
        kind: coalesce(record.label, head([label IN labels(record) WHERE NOT label IN ['Passage', 'Unprojected']])),
        name: left(coalesce(record.name, ''), 120)
      } ORDER BY coalesce(record.node_id, record.id) LIMIT $most
    },
    requires: COLLECT {
      MATCH (n)-[e:REQUIRES|FORMER]->(other)
      WHERE coalesce(e.former_type, type(e)) IN ['REQUIRES']
        AND coalesce(e.former_until > $known_at, true) AND coalesce(e.created_at <= $known_at, true)
      RETURN DISTINCT {id: other.id, title: left(coalesce(other.title, ''), 200)} AS link
      ORDER BY link.id LIMIT $most
    },
    replaced_by: head(COLLECT {
      MATCH (n)<-[e:SUPERSEDES|FORMER]-(successor)
      WHERE coalesce(e.former_type, 'SUPERSEDES') = 'SUPERSEDES' AND coalesce(e.former_until > $known_at, true)
        AND coalesce(e.at <= $known_at, true)
      RETURN {id: successor.id, at: toString(e.at), by: e.by, why: left(coalesce(e.reason, ''), $text + 1)}
      ORDER BY e.at DESC, successor.id LIMIT 1
    }),
    became: CASE status WHEN 'accepted' THEN head([(n)-[:BECAME]->(decision) | decision.id]) END,
    rejected: CASE status WHEN 'rejected' THEN left(coalesce(n.rejection_reason, ''), $text + 1) END
  }) AS rows
}
RETURN size(found) AS total, rows
