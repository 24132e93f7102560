// Returns the ids of the sessions in a collection of memories.
// read
// $namespace STRING: the collection's namespace
// $collection STRING: its id
MATCH (memory:Collected {namespace: $namespace, collection: $collection})
WHERE memory.created_at IS NOT NULL AND memory.id IS NOT NULL
RETURN DISTINCT memory.session_id AS id
ORDER BY id
