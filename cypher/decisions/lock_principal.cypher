// Locks a principal until the transaction ends: of two writes of one principal at once, the second one waits here.
// write
// $namespace STRING: the caller's namespace
// $principal STRING: the caller's name
MERGE (principal:Principal {namespace: $namespace, name: $principal})
// Setting a label takes the node's lock. What the lock protects is read by the next statement: within this one the
// planner may read a property before the lock is held.
SET principal:Principal
