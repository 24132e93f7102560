// Locks a principal until the transaction ends: what it stores by itself stands one after another.
// write
// $namespace STRING: the caller's namespace
// $principal STRING: the caller's name
MERGE (principal:Principal {namespace: $namespace, name: $principal})
SET principal:Principal
