// Returns the names that no complete entity has; an entity made by hand still lacks its id.
// read
// $namespace STRING: the caller's namespace
// $names LIST<STRING>: names of entities
UNWIND $names AS name
OPTIONAL MATCH (entity:Entity {namespace: $namespace, name: name})
WITH name, entity
WHERE entity.node_id IS NULL OR entity.scope IS NULL
RETURN name
