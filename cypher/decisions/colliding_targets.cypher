// Returns the targets with more than one decision in force, recorded before targets were compared by a key.
// read
// $namespace STRING: the caller's namespace
MATCH (decision:Decision {namespace: $namespace})
WHERE decision.active_target IS NOT NULL AND decision.status = 'active' AND decision.target_key IS NOT NULL
  AND coalesce(decision.valid_until > datetime.realtime(), true)
WITH decision ORDER BY decision.created_at, decision.id
WITH decision.target_key AS target_key, collect(decision {.id, .title, .target}) AS decisions
WHERE size(decisions) > 1
RETURN target_key, decisions
ORDER BY target_key
