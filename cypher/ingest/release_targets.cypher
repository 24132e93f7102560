// Takes decisions out of force, in one transaction with the statement that puts others in force.
// write
// $namespace STRING: the caller's namespace
// $ids LIST<STRING>: their ids
UNWIND $ids AS id
MATCH (decision:Decision {namespace: $namespace, id: id})
REMOVE decision.active_target
