// Returns the collection for new memories or summaries, if there is one yet.
// read
// $namespace STRING: the caller's namespace
// $of STRING: 'memories' or 'summaries'
MATCH (collection:MemoryCollection {namespace: $namespace, of: $of, state: 'live'})
RETURN collection.id AS id
ORDER BY collection.created_at DESC, id
LIMIT 1
