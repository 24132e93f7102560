// Returns which of these names no entity has, in the order given; one that a person made by hand still lacks its id.
// read
// $namespace STRING: the caller's namespace
// $names LIST<STRING>: names of entities
UNWIND range(0, size($names) - 1) AS place
OPTIONAL MATCH (entity:Entity {namespace: $namespace, name: $names[place]})
WITH place, entity
WHERE entity.node_id IS NULL OR entity.scope IS NULL
RETURN $names[place] AS name
ORDER BY place
