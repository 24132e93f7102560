// Returns the status of decisions and proposals at another time; what did not count then has no row.
// read
// $namespace STRING: the caller's namespace
// $as_of ZONED DATETIME: the time that is asked about
// $known_at ZONED DATETIME: only what was known at this time counts
// $retracted BOOLEAN: whether what was retracted by then is returned too
// $ids LIST<STRING>: ids of decisions and proposals
UNWIND $ids AS id
CALL (id) {
  MATCH (n:Decision {namespace: $namespace, id: id})
  RETURN n
  UNION ALL
  MATCH (n:Proposal {namespace: $namespace, id: id})
  RETURN n
  UNION ALL
  MATCH (n:Retracted {namespace: $namespace, id: id})
  WHERE any(label IN n.retracted_from WHERE label IN ['Decision', 'Proposal'])
  RETURN n
}
WITH n
WHERE coalesce(n.created_at <= $known_at, true)
  AND ('Proposal' IN labels(n) + coalesce(n.retracted_from, [])
    OR coalesce(coalesce(n.effective_at, n.created_at) <= $as_of, true))
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
RETURN n.id AS id, coalesce(n.title, n.name, '') AS title, status
