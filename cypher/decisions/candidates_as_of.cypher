// Returns the decisions and proposals that may answer a query about another time, and what replaced them then.
// read
// $namespace STRING: the caller's namespace
// $as_of ZONED DATETIME: the time that is asked about
// $known_at ZONED DATETIME: only what was known at this time counts
// $retracted BOOLEAN: whether what was retracted by then is returned too
// $records LIST<INTEGER>: integer ids of the candidates
// $retracted_query STRING: full-text query for what was retracted, within the namespace; empty for none
// $keys LIST<STRING>: keys of targets that are candidates as well
// $target_key STRING: only this target, or null for all
// $about_key STRING: only what is about or mentions the entity of this name key, or null for all
// $statuses LIST<STRING>: only these statuses at that time, or null for all
// $since ZONED DATETIME: only what was recorded then or later, or null
// $until ZONED DATETIME: only what was recorded then or earlier, or null
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
  WITH $retracted_query AS query WHERE query <> ''
  CALL db.index.fulltext.queryNodes('retracted_words', query, {limit: $limit}) YIELD node AS n, score
  WHERE score > 0 AND n.namespace = $namespace
  RETURN n
  UNION
  UNWIND $keys + coalesce([$target_key], []) AS key
  MATCH (n:Retracted {namespace: $namespace, target_key: key})
  RETURN n LIMIT $limit
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
  MATCH (:Entity {namespace: $namespace, name_key: key})<-[:ABOUT|MENTIONS|FORMER]-(n)
  RETURN n ORDER BY n.created_at DESC LIMIT $limit
}
WITH collect(DISTINCT n) AS proposed
CALL (proposed) {
  UNWIND proposed AS n
  RETURN n, null AS replaced
  UNION ALL
  UNWIND proposed AS matched
  MATCH (matched) (()<-[e:SUPERSEDES|FORMER WHERE coalesce(e.at <= $known_at, true)
    AND coalesce(e.former_type, 'SUPERSEDES') = 'SUPERSEDES' AND coalesce(e.former_until > $known_at, true)
  ]-()){1,30} (n)
  RETURN DISTINCT n, matched.id AS replaced
}
WITH n, collect(replaced) AS replaced
WHERE any(label IN labels(n) + coalesce(n.retracted_from, []) WHERE label IN ['Decision', 'Proposal'])
  AND coalesce(n.created_at <= $known_at, true)
  AND ('Proposal' IN labels(n) + coalesce(n.retracted_from, [])
    OR coalesce(coalesce(n.effective_at, n.created_at) <= $as_of, true))
  AND ($retracted OR coalesce(n.retracted_at > $known_at, true))
  AND ($target_key IS NULL OR n.target_key = $target_key)
  AND ($about_key IS NULL OR EXISTS {
    MATCH (n)-[e:ABOUT|MENTIONS|FORMER]->(:Entity {namespace: $namespace, name_key: $about_key})
    WHERE coalesce(e.former_type, 'ABOUT') IN ['ABOUT', 'MENTIONS'] AND coalesce(e.former_until > $known_at, true)
  })
  AND ($since IS NULL OR n.created_at >= $since)
  AND ($until IS NULL OR n.created_at <= $until)
WITH n, replaced, CASE
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
WHERE $statuses IS NULL OR status IN $statuses
RETURN collect({
  id: n.id,
  record: n.node_id,
  kind: CASE WHEN 'Proposal' IN labels(n) + coalesce(n.retracted_from, []) THEN 'proposal' ELSE 'decision' END,
  // A person may have stored a decision in Neo4j Browser without some of these.
  title: coalesce(n.title, n.name, ''),
  target: coalesce(n.target, ''),
  target_key: coalesce(n.target_key, n.target, ''),
  rationale: left(coalesce(n.rationale, ''), $preview),
  // What was retracted has no passages: this is compared instead.
  retracted_text: CASE WHEN n:Retracted THEN
    coalesce(n.title, '') + '\n' + coalesce(n.target, '') + '\n' + left(coalesce(n.rationale, ''), 2000)
  END,
  status: status,
  pending: false,
  effective_at: toString(n.effective_at),
  valid_until: toString(n.valid_until),
  origin: coalesce(n.origin, 'human'),
  created_at: toString(CASE
    WHEN n.created_at IS :: ZONED DATETIME NOT NULL THEN datetime({datetime: n.created_at, timezone: '+00:00'})
    ELSE datetime({epochSeconds: 0})
  END),
  superseded_by: head(COLLECT {
    MATCH (n)<-[e:SUPERSEDES|FORMER]-(successor)
    WHERE coalesce(e.former_type, 'SUPERSEDES') = 'SUPERSEDES' AND coalesce(e.former_until > $known_at, true)
      AND coalesce(e.at <= $known_at, true) AND coalesce(successor.effective_at, successor.created_at) <= $as_of
    RETURN successor.id ORDER BY successor.created_at DESC, successor.id LIMIT 1
  }),
  replaced: CASE status WHEN 'active' THEN replaced ELSE [] END,
  unprojected: EXISTS { (n)<-[:PASSAGE_OF]-(:Passage:Unprojected) }
}) AS candidates
