// Locks the state of reflection on a namespace until the transaction ends, and creates it if it is missing.
// write
// $namespace STRING: the namespace
MERGE (state:Reflection {namespace: $namespace})
ON CREATE SET state.name = 'Reflection', state.created_at = datetime()
// Setting a label locks the node. The next statement reads what the lock protects.
SET state:Reflection
