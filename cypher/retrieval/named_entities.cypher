// Returns the entities of these names; case, width and spacing are ignored.
// read
// $namespace STRING: the caller's namespace
// $names LIST<STRING>: the keys of the names
UNWIND $names AS name
CALL (name) {
  MATCH (entity:Entity {namespace: $namespace, name_key: name})
  RETURN entity
  UNION
  // A name from before a merge or a rename.
  MATCH (:Alias {namespace: $namespace, name_key: name})-[:ALIAS_OF*1..5]->(entity:Entity)
  RETURN entity
}
RETURN name AS found, entity.name AS name
ORDER BY found, name
