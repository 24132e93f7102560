// Locks the latest decision about a target until the transaction ends, and returns its id: who replaces it is done.
// write
// $namespace STRING: the caller's namespace
// $target_key STRING: key of the target
MATCH (decision:Decision {namespace: $namespace, target_key: $target_key})
WITH decision ORDER BY decision.created_at DESC, decision.id DESC LIMIT 1
// Setting a label locks the node.
SET decision:Decision
RETURN decision.id AS id
