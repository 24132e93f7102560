// Returns the decisions and proposals that may answer a query, and the decisions in force that replaced one of them.
// read
// $namespace STRING: the caller's namespace
// $records LIST<INTEGER>: integer ids of the candidates
// $keys LIST<STRING>: keys of targets that are candidates as well
// $target_key STRING: only this target, or null for all
// $about_key STRING: only what is about or mentions the entity of this name key, or null for all
// $statuses LIST<STRING>: only these statuses, or null for all
// $since ZONED DATETIME: only what was recorded then or later, or null
// $until ZONED DATETIME: only what was recorded then or earlier, or null
// $now ZONED DATETIME: the current time
// $limit INTEGER: how many at most that a target or an entity proposes
// $preview INTEGER: how many characters of the rationale
CALL () {
  UNWIND $records AS record
  MATCH (n:Decision {namespace: $namespace, node_id: record})
  RETURN n
  UNION
  UNWIND $records AS record
  MATCH (n:Proposal {namespace: $namespace, node_id: record})
  RETURN n
  UNION
  UNWIND $keys AS key
  MATCH (n:Decision {namespace: $namespace, target_key: key})
  RETURN n LIMIT $limit
  UNION
  WITH $target_key AS key WHERE key IS NOT NULL
  MATCH (n:Decision {namespace: $namespace, target_key: key})
  RETURN n ORDER BY n.created_at DESC LIMIT $limit
  UNION
  WITH $target_key AS key WHERE key IS NOT NULL
  MATCH (n:Proposal {namespace: $namespace, target_key: key})
  RETURN n ORDER BY n.created_at DESC LIMIT $limit
  UNION
  WITH $about_key AS key WHERE key IS NOT NULL
  MATCH (:Entity {namespace: $namespace, name_key: key})<-[:ABOUT|MENTIONS]-(n:Decision|Proposal)
  RETURN n ORDER BY n.created_at DESC LIMIT $limit
}
WITH collect(DISTINCT n) AS proposed
CALL (proposed) {
  UNWIND proposed AS n
  RETURN n, null AS replaced
  UNION ALL
  UNWIND proposed AS matched
  WITH matched
  WHERE coalesce(matched.status, '') <> 'active' OR matched.superseded_from <= $now
  MATCH (matched)<-[:SUPERSEDES*1..]-(n:Decision {status: 'active'})
  WHERE coalesce(n.effective_at <= $now, true)
    AND coalesce(n.valid_until > $now, true)
    AND coalesce(n.superseded_from > $now, true)
  RETURN DISTINCT n, matched.id AS replaced
}
WITH n, collect(replaced) AS replaced, CASE
  WHEN n.status = 'active' AND n.superseded_from <= $now THEN 'superseded'
  WHEN n.status = 'active' AND n.valid_until <= $now THEN 'expired'
  ELSE coalesce(n.status, 'draft')
END AS status
WHERE ($target_key IS NULL OR n.target_key = $target_key)
  AND ($about_key IS NULL OR EXISTS { MATCH (n)-[:ABOUT|MENTIONS]->(:Entity {namespace: $namespace, name_key: $about_key}) })
  AND ($statuses IS NULL OR status IN $statuses)
  AND ($since IS NULL OR n.created_at >= $since)
  AND ($until IS NULL OR n.created_at <= $until)
// One row for all of them: the driver takes longer to read many rows than the search takes.
RETURN collect({
  id: n.id,
  record: n.node_id,
  kind: CASE WHEN n:Proposal THEN 'proposal' ELSE 'decision' END,
  // A person may have stored a decision in Neo4j Browser without some of these.
  title: coalesce(n.title, n.name, ''),
  target: coalesce(n.target, ''),
  target_key: coalesce(n.target_key, n.target, ''),
  rationale: left(coalesce(n.rationale, ''), $preview),
  status: status,
  pending: coalesce(n.effective_at > $now, false),
  effective_at: toString(n.effective_at),
  valid_until: toString(CASE WHEN n.valid_until < n.superseded_from THEN n.valid_until
    ELSE coalesce(n.superseded_from, n.valid_until) END),
  origin: coalesce(n.origin, 'human'),
  created_at: toString(CASE
    WHEN n.created_at IS :: ZONED DATETIME NOT NULL THEN datetime({datetime: n.created_at, timezone: '+00:00'})
    ELSE datetime({epochSeconds: 0})
  END),
  superseded_by: head(COLLECT {
    MATCH (n)<-[:SUPERSEDES]-(successor:Decision)
    RETURN successor.id ORDER BY successor.created_at DESC, successor.id LIMIT 1
  }),
  replaced: replaced,
  unprojected: EXISTS { (n)<-[:PASSAGE_OF]-(:Passage:Unprojected) }
}) AS candidates
