// Returns the decision in force for a target; several only where they were recorded before targets had a key.
// read
// $namespace STRING: the caller's namespace
// $target_key STRING: what targets are compared by
// $now ZONED DATETIME: the current time
CALL () {
  MATCH (decision:Decision {namespace: $namespace, target_key: $target_key})
  WHERE decision.active_target IS NOT NULL
  RETURN decision
  UNION
  MATCH (decision:Decision {namespace: $namespace, active_target: $target_key})
  RETURN decision
}
WITH decision
// An expired decision stores its target until another one is recorded.
WHERE coalesce(decision.valid_until > $now, true)
RETURN
  decision.id AS id,
  coalesce(decision.title, '') AS title,
  coalesce(decision.target, '') AS target,
  decision.origin AS origin,
  decision.created_by AS created_by
ORDER BY decision.created_at, id
