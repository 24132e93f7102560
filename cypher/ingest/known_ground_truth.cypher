// Returns what is stored of those of these ground-truth queries that are there already.
// read
// $namespace STRING: the caller's namespace
// $queries LIST<STRING>: the queries' words
UNWIND $queries AS query
MATCH (truth:GroundTruth {namespace: $namespace, query: query})
RETURN
  query,
  COLLECT { MATCH (truth)-[:SHOULD_FIND]->(insight:Insight) RETURN insight.id ORDER BY insight.id } AS expected
