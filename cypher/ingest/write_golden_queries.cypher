// Writes golden queries of a file, each with exactly the insights that a search should find.
// write
// $namespace STRING: the caller's namespace
// $uri STRING: address of the file
// $rows LIST<MAP>: query, query_type, expected (ids of insights), and the id of a new query
MATCH (source:Source {namespace: $namespace, uri: $uri})
UNWIND $rows AS row
MERGE (golden:GoldenQuery {namespace: $namespace, query: row.query})
ON CREATE SET golden.id = row.id, golden.name = left(row.query, 80), golden.created_at = datetime()
SET golden.query_type = row.query_type
MERGE (golden)-[:FROM]->(source)
WITH golden, row
CALL (golden) {
  MATCH (golden)-[before:SHOULD_FIND]->(:Insight)
  DELETE before
}
CALL (golden, row) {
  UNWIND row.expected AS id
  MATCH (insight:Insight {namespace: $namespace, id: id})
  CREATE (golden)-[:SHOULD_FIND]->(insight)
}
RETURN count(golden) AS written
