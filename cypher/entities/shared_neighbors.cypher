// Returns how many neighbours two entities have in common, for pairs of names.
// read
// $namespace STRING: the caller's namespace
// $pairs LIST<LIST<STRING>>: two names each
// $bookkeeping LIST<STRING>: relationship types that are not followed
// $most INTEGER: how many relations of an entity are looked at
UNWIND $pairs AS pair
CALL (pair) {
  MATCH (one:Entity {namespace: $namespace, name: pair[0]})
  MATCH (one)-[edge]-(near)
  WHERE NOT type(edge) IN $bookkeeping
  WITH near LIMIT $most
  RETURN collect(DISTINCT elementId(near)) AS nearby
}
CALL (pair) {
  MATCH (other:Entity {namespace: $namespace, name: pair[1]})
  MATCH (other)-[edge]-(near)
  WHERE NOT type(edge) IN $bookkeeping
  WITH near LIMIT $most
  RETURN collect(DISTINCT elementId(near)) AS others
}
WITH pair, nearby, others, size([id IN nearby WHERE id IN others]) AS shared
RETURN pair[0] AS one, pair[1] AS other, shared, size(nearby) + size(others) - shared AS together
