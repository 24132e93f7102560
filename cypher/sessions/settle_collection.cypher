// Marks a collection as completely connected.
// write
// $namespace STRING: the collection's namespace
// $collection STRING: its id
MATCH (collection:MemoryCollection {namespace: $namespace, id: $collection})
REMOVE collection.unlinked
