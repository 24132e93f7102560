// Returns whether a ground-truth query exists and, where it does not, some that do.
// read
// $namespace STRING: the caller's namespace
// $query_id INTEGER: id of a ground-truth query
// $limit INTEGER: how many others are returned
OPTIONAL MATCH (truth:GroundTruth {namespace: $namespace, id: $query_id})
CALL (truth) {
  MATCH (other:GroundTruth {namespace: $namespace})
  WHERE truth IS NULL AND other.id IS NOT NULL
  WITH other
  ORDER BY other.id
  LIMIT $limit
  RETURN collect({id: other.id, query: other.name}) AS others
}
RETURN truth IS NOT NULL AS exists, others
