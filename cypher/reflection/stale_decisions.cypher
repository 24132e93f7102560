// Returns decisions in force that nothing has named since a time, the oldest first.
// read
// $namespace STRING: the namespace
// $before ZONED DATETIME: they were decided before this time, and nothing named them or their target since
// $limit INTEGER: how many at most
MATCH (decision:Decision)
WHERE decision.created_at < $before AND decision.namespace = $namespace AND decision.active_target IS NOT NULL
  AND NOT EXISTS {
    MATCH (decision)<-[:ABOUT|MENTIONS|REQUIRES|CORRECTS|EVIDENCED_BY]-(record)
    WHERE record.created_at >= $before
  }
  AND NOT EXISTS {
    MATCH (decision)-[:ABOUT]->(:Entity)<-[:ABOUT|MENTIONS]-(record)
    WHERE record.created_at >= $before
  }
RETURN
  decision.id AS id,
  coalesce(decision.title, decision.name, '') AS title,
  coalesce(decision.target, '') AS target,
  coalesce(decision.rationale, '') AS rationale,
  toString(decision.created_at) AS at,
  coalesce(decision.created_by, '') AS by
ORDER BY at, id
LIMIT $limit
