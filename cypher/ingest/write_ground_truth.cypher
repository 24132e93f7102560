// Writes ground-truth queries from a file, each with the insights that a search should find, and no others.
// write
// $namespace STRING: the caller's namespace
// $uri STRING: where the file is
// $rows LIST<MAP>: query, expected (ids of insights), and the id of a new one
MATCH (source:Source {namespace: $namespace, uri: $uri})
UNWIND $rows AS row
MERGE (truth:GroundTruth {namespace: $namespace, query: row.query})
ON CREATE SET truth.id = row.id, truth.name = left(row.query, 80), truth.created_at = datetime()
MERGE (truth)-[:FROM]->(source)
WITH truth, row
CALL (truth) {
  MATCH (truth)-[before:SHOULD_FIND]->(:Insight)
  DELETE before
}
CALL (truth, row) {
  UNWIND row.expected AS id
  MATCH (insight:Insight {namespace: $namespace, id: id})
  CREATE (truth)-[:SHOULD_FIND]->(insight)
}
RETURN count(truth) AS written
