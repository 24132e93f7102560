// Returns which of these ground-truth queries are stored, and what is stored of them.
// read
// $namespace STRING: the caller's namespace
// $queries LIST<STRING>: texts of the queries
UNWIND $queries AS query
MATCH (truth:GroundTruth {namespace: $namespace, query: query})
RETURN
  query,
  COLLECT { MATCH (truth)-[:SHOULD_FIND]->(insight:Insight) RETURN insight.id ORDER BY insight.id } AS expected
