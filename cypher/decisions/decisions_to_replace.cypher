// Tells what these decisions are, and which decision is in force for the target; an id that is none has no row.
// read
// $namespace STRING: the caller's namespace
// $ids LIST<STRING>: ids of the decisions that are to be replaced
// $target STRING: exact target of the decision that is to replace them
MATCH (decision:Decision {namespace: $namespace})
WHERE decision.id IN $ids OR decision.active_target = $target
RETURN
  decision.id AS id,
  decision.title AS title,
  decision.status AS status,
  decision.target AS target,
  decision.origin AS origin,
  coalesce(decision.active_target = $target, false) AS in_force
