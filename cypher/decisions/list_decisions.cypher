// Returns one page of the decisions that match all filters, and counts them.
// read
// $namespace STRING: the caller's namespace
// $status STRING: the only status, or null for all
// $target STRING: only those about this target, as the caller wrote it, or null for all
// $target_key STRING: the key of that target, or null
// $about_key STRING: only those that are about or mention the entity of this name key, or null for all
// $since ZONED DATETIME: only those recorded then or later, or null
// $until ZONED DATETIME: only those recorded before then, or null
// $origin STRING: `human`, `agent` or null for both
// $order STRING: `newest`, `oldest` or `target`
// $limit INTEGER: how many at most
// $offset INTEGER: how many to skip
// $now ZONED DATETIME: the current time
CALL () {
  MATCH (decision:Decision {namespace: $namespace, target_key: $target_key})
  RETURN decision
  UNION
  MATCH (decision:Decision {namespace: $namespace, target: $target})
  RETURN decision
  UNION
  WITH $about_key AS key
  WHERE key IS NOT NULL AND $target IS NULL
  MATCH (:Entity {namespace: $namespace, name_key: key})<-[:ABOUT|MENTIONS]-(decision:Decision)
  RETURN decision
  UNION
  WITH $namespace AS namespace
  WHERE $about_key IS NULL AND $target IS NULL
  MATCH (decision:Decision {namespace: namespace})
  WHERE decision.id IS NOT NULL
  RETURN decision
}
// A person may have stored a decision in Neo4j Browser without some of these.
WITH decision, CASE
  WHEN decision.status = 'active' AND decision.superseded_from <= $now THEN 'superseded'
  WHEN decision.status = 'active' AND decision.valid_until <= $now THEN 'expired'
  ELSE coalesce(decision.status, 'draft')
END AS status, CASE
  WHEN decision.created_at IS :: ZONED DATETIME NOT NULL THEN decision.created_at
  ELSE datetime({epochSeconds: 0})
END AS at
WHERE ($status IS NULL OR status = $status)
  AND ($since IS NULL OR at >= $since)
  AND ($until IS NULL OR at < $until)
  AND ($origin IS NULL OR coalesce(decision.origin, 'human') = $origin)
  AND ($about_key IS NULL OR $target IS NULL
    OR EXISTS { (decision)-[:ABOUT|MENTIONS]->(:Entity {namespace: $namespace, name_key: $about_key}) })
WITH decision, at
ORDER BY
  CASE $order WHEN 'target' THEN coalesce(decision.target_key, toLower(decision.target), '') END,
  CASE $order WHEN 'oldest' THEN at END,
  CASE $order WHEN 'oldest' THEN null ELSE at END DESC,
  decision.id
WITH collect(decision) AS found
RETURN size(found) AS total, [decision IN found[$offset..$offset + $limit] | {
  id: decision.id,
  title: coalesce(decision.title, decision.name, ''),
  target: coalesce(decision.target, ''),
  status: CASE
    WHEN decision.status = 'active' AND decision.superseded_from <= $now THEN 'superseded'
    WHEN decision.status = 'active' AND decision.valid_until <= $now THEN 'expired'
    ELSE coalesce(decision.status, 'draft')
  END,
  origin: coalesce(decision.origin, 'human'),
  created_at: toString(decision.created_at),
  effective_at: toString(decision.effective_at),
  valid_until: toString(CASE WHEN decision.valid_until < decision.superseded_from THEN decision.valid_until
    ELSE coalesce(decision.superseded_from, decision.valid_until) END),
  created_by: decision.created_by,
  superseded_by: head(COLLECT {
    MATCH (decision)<-[:SUPERSEDES]-(successor:Decision)
    RETURN successor.id ORDER BY successor.created_at DESC, successor.id LIMIT 1
  })
}] AS decisions
