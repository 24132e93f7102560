// Locks a collection until the transaction ends; whether what it holds still counts is read by the next statement.
// write
// $namespace STRING: the caller's namespace
// $id STRING: its id
MATCH (collection:MemoryCollection {namespace: $namespace, id: $id})
SET collection:MemoryCollection
