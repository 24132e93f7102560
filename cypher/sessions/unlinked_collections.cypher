// Returns collections that count and hold what is not connected yet.
// read
MATCH (collection:MemoryCollection {state: 'live'})
WHERE collection.unlinked
RETURN collection.namespace AS namespace, collection.id AS id, collection.of AS of
