// Returns the ids of the live collections.
// read
// $namespace STRING: the caller's namespace
// $of STRING: 'memories' or 'summaries'
MATCH (collection:MemoryCollection {namespace: $namespace, of: $of, state: 'live'})
RETURN collection.id AS id
ORDER BY id
