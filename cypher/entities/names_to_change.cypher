// Returns the entities of these names and what holds their keys: other entities, decisions in force.
// read
// $namespace STRING: the caller's namespace
// $names LIST<MAP>: name and key of each
UNWIND $names AS each
OPTIONAL MATCH (entity:Entity {namespace: $namespace, name: each.name})
RETURN
  each.name AS name,
  entity IS NOT NULL AS exists,
  COLLECT {
    MATCH (other:Entity {namespace: $namespace, name_key: each.key}) RETURN other.name ORDER BY other.name LIMIT 5
  } AS equal,
  head(COLLECT {
    MATCH (decision:Decision {namespace: $namespace, active_target: each.key}) RETURN decision.id LIMIT 1
  }) AS in_force,
  head(COLLECT {
    MATCH (change:Change {namespace: $namespace, operation: entity.change_operation}) RETURN change.kind LIMIT 1
  }) AS origin
