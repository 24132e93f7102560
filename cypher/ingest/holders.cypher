// Returns which decisions are in force for these targets.
// read
// $namespace STRING: the caller's namespace
// $targets LIST<STRING>: exact targets
UNWIND $targets AS target
MATCH (decision:Decision {namespace: $namespace, active_target: target})
RETURN target, decision.id AS id
