// Locks a collection until the transaction ends; the next statement reads its state.
// write
// $namespace STRING: the caller's namespace
// $id STRING: its id
MATCH (collection:MemoryCollection {namespace: $namespace, id: $id})
SET collection:MemoryCollection
