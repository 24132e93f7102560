// Counts which of these relations of one type exist.
// read
// $namespace STRING: the caller's namespace
// $relation STRING: the relation of all rows, as written
// $type STRING: its native type
// $rows LIST<MAP>: source, target
UNWIND $rows AS row
MATCH (source:Entity {namespace: $namespace, name: row.source})
MATCH (target:Entity {namespace: $namespace, name: row.target})
MATCH (source)-[edge:$($type) {relation: $relation}]->(target)
RETURN count(edge) AS known
