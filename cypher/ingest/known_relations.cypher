// Counts which of these relations of one native type exist.
// read
// $namespace STRING: the caller's namespace
// $type STRING: the native type of all of them
// $rows LIST<MAP>: source, target, relation as it was written
UNWIND $rows AS row
MATCH (source:Entity {namespace: $namespace, name: row.source})
MATCH (target:Entity {namespace: $namespace, name: row.target})
MATCH (source)-[edge:$($type) {relation: row.relation}]->(target)
RETURN count(edge) AS known
