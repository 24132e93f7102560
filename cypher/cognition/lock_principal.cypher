// Locks a principal until the transaction ends, so that its insights get one order.
// write
// $namespace STRING: the caller's namespace
// $principal STRING: the caller's name
MERGE (principal:Principal {namespace: $namespace, name: $principal})
SET principal:Principal
