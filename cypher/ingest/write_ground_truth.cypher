// Writes ground-truth queries of a file, each with exactly the insights that a search should find.
// write
// $namespace STRING: the caller's namespace
// $uri STRING: address of the file
// $rows LIST<MAP>: query, expected (ids of insights), and the id of a new query
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
