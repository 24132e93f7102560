// Returns what is stored of those of these golden queries that are there already.
// read
// $namespace STRING: the caller's namespace
// $queries LIST<STRING>: the queries' words
UNWIND $queries AS query
MATCH (golden:GoldenQuery {namespace: $namespace, query: query})
RETURN
  query,
  golden.query_type AS query_type,
  COLLECT { MATCH (golden)-[:SHOULD_FIND]->(insight:Insight) RETURN insight.id ORDER BY insight.id } AS expected
