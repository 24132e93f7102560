// Returns which of these golden queries are stored, and what is stored of them.
// read
// $namespace STRING: the caller's namespace
// $queries LIST<STRING>: texts of the queries
UNWIND $queries AS query
MATCH (golden:GoldenQuery {namespace: $namespace, query: query})
RETURN
  query,
  golden.query_type AS query_type,
  COLLECT { MATCH (golden)-[:SHOULD_FIND]->(insight:Insight) RETURN insight.id ORDER BY insight.id } AS expected
