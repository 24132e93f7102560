// Returns the entities that have one of these names, in any case.
// read
// $namespace STRING: the caller's namespace
// $names LIST<STRING>: lower-case names
UNWIND $names AS name
MATCH (entity:Entity {namespace: $namespace, name_key: name})
RETURN name AS found, entity.name AS name
ORDER BY found, name
