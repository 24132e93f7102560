// Returns decisions by id, and the decisions in force for a target; an unknown id has no row.
// read
// $namespace STRING: the caller's namespace
// $ids LIST<STRING>: ids of the decisions that are to be replaced
// $target_key STRING: key of the target of the decision that is to replace them
// $now ZONED DATETIME: the current time
CALL () {
  MATCH (decision:Decision {namespace: $namespace})
  WHERE decision.id IN $ids
  RETURN decision
  UNION
  MATCH (decision:Decision {namespace: $namespace, target_key: $target_key})
  WHERE decision.active_target IS NOT NULL
  RETURN decision
  UNION
  MATCH (decision:Decision {namespace: $namespace, active_target: $target_key})
  RETURN decision
}
RETURN
  decision.id AS id,
  coalesce(decision.title, '') AS title,
  CASE
    WHEN decision.status = 'active' AND decision.superseded_from <= $now THEN 'superseded'
    WHEN decision.status = 'active' AND decision.valid_until <= $now THEN 'expired'
    ELSE coalesce(decision.status, 'draft')
  END AS status,
  coalesce(decision.target, '') AS target,
  decision.origin AS origin,
  coalesce(decision.valid_until > $now, true) AND (
    coalesce(decision.active_target IS NOT NULL AND decision.target_key = $target_key, false)
    OR coalesce(decision.active_target = $target_key, false)
  ) AS in_force
ORDER BY decision.created_at, id
