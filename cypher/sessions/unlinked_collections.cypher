// Returns the live collections that are not completely connected yet.
// read
MATCH (collection:MemoryCollection {state: 'live'})
WHERE collection.unlinked
RETURN collection.namespace AS namespace, collection.id AS id, collection.of AS of
