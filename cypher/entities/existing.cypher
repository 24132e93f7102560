// Returns those of the given names that entities have exactly.
// read
// $namespace STRING: the caller's namespace
// $names LIST<STRING>: the names
UNWIND $names AS name
MATCH (entity:Entity {namespace: $namespace, name: name})
RETURN DISTINCT entity.name AS name
