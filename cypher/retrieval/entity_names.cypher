// Returns the names of a namespace's entities, each with the key that it is compared by.
// read
// $namespace STRING: the caller's namespace
// $limit INTEGER: how many at most
MATCH (entity:Entity {namespace: $namespace})
WHERE entity.name_key IS NOT NULL
RETURN entity.name_key AS found, entity.name AS name
LIMIT $limit
