// Returns the entities of these names; case, width and spacing are ignored.
// read
// $namespace STRING: the caller's namespace
// $names LIST<STRING>: the keys of the names
UNWIND $names AS name
MATCH (entity:Entity {namespace: $namespace, name_key: name})
RETURN name AS found, entity.name AS name
ORDER BY found, name
