// Returns the decision in force for a target, if there is one.
// read
// $namespace STRING: the caller's namespace
// $target STRING: exact target
MATCH (decision:Decision {namespace: $namespace, active_target: $target})
RETURN decision.id AS id, decision.title AS title, decision.origin AS origin, decision.created_by AS created_by
