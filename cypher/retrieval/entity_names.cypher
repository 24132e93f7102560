// Returns the names of a namespace's entities, each with the key that it is compared by, and their former names.
// read
// $namespace STRING: the caller's namespace
// $limit INTEGER: how many at most
CALL () {
  MATCH (entity:Entity {namespace: $namespace})
  WHERE entity.name_key IS NOT NULL
  RETURN entity.name_key AS found, entity.name AS name
  LIMIT $limit
  UNION
  MATCH (alias:Alias {namespace: $namespace})-[:ALIAS_OF*1..5]->(entity:Entity)
  WHERE alias.name_key IS NOT NULL
  RETURN alias.name_key AS found, entity.name AS name
}
RETURN found, name
