// Locks a principal until the transaction ends: its second write at the same moment waits here.
// write
// $namespace STRING: the caller's namespace
// $principal STRING: the caller's name
MERGE (principal:Principal {namespace: $namespace, name: $principal})
// Setting a label locks the node. The next statement reads what the lock protects: within this one the planner may
// read a property before the node is locked.
SET principal:Principal
