// Returns the names of entities with the most relations, best connected first.
// read
// $namespace STRING: the caller's namespace
// $bookkeeping LIST<STRING>: relationship types that are not counted
// $limit INTEGER: how many at most
MATCH (entity:Entity {namespace: $namespace})
WHERE entity.name IS NOT NULL
WITH entity, COUNT { (entity)-[edge]-() WHERE NOT type(edge) IN $bookkeeping } AS degree
ORDER BY degree DESC, entity.name
LIMIT $limit
RETURN collect(entity.name) AS names
