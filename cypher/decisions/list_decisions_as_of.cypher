// Returns one page of the decisions that matched all filters at another time, and counts them.
// read
// $namespace STRING: the caller's namespace
// $as_of ZONED DATETIME: the time that is asked about
// $known_at ZONED DATETIME: only what was known at this time counts
// $retracted BOOLEAN: whether what was retracted by then is returned too
// $status STRING: the only status at that time, or null for all
// $target STRING: only those about this target, as the caller wrote it, or null for all
// $target_key STRING: the key of that target, or null
// $about_key STRING: only those that were about or mentioned the entity of this name key, or null for all
// $since ZONED DATETIME: only those recorded then or later, or null
// $until ZONED DATETIME: only those recorded before then, or null
// $origin STRING: `human`, `agent` or null for both
// $order STRING: `newest`, `oldest` or `target`
// $limit INTEGER: how many at most
// $offset INTEGER: how many to skip
CALL () {
  MATCH (n:Decision {namespace: $namespace, target_key: $target_key})
  RETURN n
  UNION
  MATCH (n:Retracted {namespace: $namespace, target_key: $target_key})
  RETURN n
  UNION
  MATCH (n:Decision {namespace: $namespace, target: $target})
  RETURN n
  UNION
  WITH $about_key AS key
  WHERE key IS NOT NULL AND $target IS NULL
  MATCH (:Entity {namespace: $namespace, name_key: key})<-[:ABOUT|MENTIONS|FORMER]-(n)
  RETURN n
  UNION
  WITH $namespace AS namespace
  WHERE $about_key IS NULL AND $target IS NULL
  MATCH (n:Decision {namespace: namespace})
  WHERE n.id IS NOT NULL
  RETURN n
  UNION
  WITH $namespace AS namespace
  WHERE $about_key IS NULL AND $target IS NULL
  MATCH (n:Retracted {namespace: namespace})
  WHERE n.id IS NOT NULL
  RETURN n
}
WITH n, CASE
  WHEN n.created_at IS :: ZONED DATETIME NOT NULL THEN n.created_at
  ELSE datetime({epochSeconds: 0})
END AS at
WHERE 'Decision' IN labels(n) + coalesce(n.retracted_from, [])
  AND coalesce(n.created_at <= $known_at, true)
  AND ('Proposal' IN labels(n) + coalesce(n.retracted_from, [])
    OR coalesce(coalesce(n.effective_at, n.created_at) <= $as_of, true))
  AND ($retracted OR coalesce(n.retracted_at > $known_at, true))
  AND ($since IS NULL OR at >= $since)
  AND ($until IS NULL OR at < $until)
  AND ($origin IS NULL OR coalesce(n.origin, 'human') = $origin)
  AND ($about_key IS NULL OR EXISTS {
    MATCH (n)-[e:ABOUT|MENTIONS|FORMER]->(:Entity {namespace: $namespace, name_key: $about_key})
    WHERE coalesce(e.former_type, 'ABOUT') IN ['ABOUT', 'MENTIONS'] AND coalesce(e.former_until > $known_at, true)
  })
WITH n, at, CASE
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
WHERE $status IS NULL OR status = $status
WITH n, at, status
ORDER BY
  CASE $order WHEN 'target' THEN coalesce(n.target_key, toLower(n.target), '') END,
  CASE $order WHEN 'oldest' THEN at END,
  CASE $order WHEN 'oldest' THEN null ELSE at END DESC,
  n.id
WITH count(n) AS total, collect({node: n, status: status})[$offset..$offset + $limit] AS page
CALL (page) {
  UNWIND page AS each
  WITH each.node AS n, each.status AS status
  RETURN collect({
    id: n.id,
    title: coalesce(n.title, n.name, ''),
    target: coalesce(n.target, ''),
    status: status,
    origin: coalesce(n.origin, 'human'),
    created_at: toString(n.created_at),
    effective_at: toString(n.effective_at),
    valid_until: toString(n.valid_until),
    created_by: n.created_by,
    superseded_by: head(COLLECT {
      MATCH (n)<-[e:SUPERSEDES|FORMER]-(successor)
      WHERE coalesce(e.former_type, 'SUPERSEDES') = 'SUPERSEDES' AND coalesce(e.former_until > $known_at, true)
        AND coalesce(e.at <= $known_at, true) AND coalesce(successor.effective_at, successor.created_at) <= $as_of
      RETURN successor.id ORDER BY successor.created_at DESC, successor.id LIMIT 1
    })
  }) AS decisions
}
RETURN total, decisions
