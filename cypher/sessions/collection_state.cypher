// Returns the state of a collection.
// read
// $namespace STRING: the caller's namespace
// $id STRING: its id
MATCH (collection:MemoryCollection {namespace: $namespace, id: $id})
RETURN collection.state AS state
