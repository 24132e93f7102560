// Gives up the collection of an import that failed.
// write
// $namespace STRING: the caller's namespace
// $id STRING: its id
MATCH (collection:MemoryCollection {namespace: $namespace, id: $id, state: 'staged'})
SET collection.state = 'removed'
