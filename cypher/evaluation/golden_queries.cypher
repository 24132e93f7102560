// Returns the golden queries in their order, with the insights that a search should find.
// read
// $namespace STRING: the caller's namespace
MATCH (golden:GoldenQuery {namespace: $namespace})
WHERE golden.id IS NOT NULL
RETURN
  golden.query AS query,
  golden.query_type AS query_type,
  COLLECT { MATCH (golden)-[:SHOULD_FIND]->(insight:Insight) RETURN insight.id } AS expected
ORDER BY golden.id
