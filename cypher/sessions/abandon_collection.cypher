// Retires the staged collection of a failed import.
// write
// $namespace STRING: the caller's namespace
// $id STRING: its id
MATCH (collection:MemoryCollection {namespace: $namespace, id: $id, state: 'staged'})
SET collection.state = 'removed'
