// Returns the entities with the most relations, among those stored first and those that decisions in force name.
// read
// $namespace STRING: the caller's namespace
// $compared INTEGER: how many entities, and how many decisions, are read
// $limit INTEGER: how many to return
CALL () {
  // The order names the whole key of the index, so that Neo4j reads them from it and sorts nothing.
  MATCH (thing:Entity {namespace: $namespace})
  WHERE thing.node_id IS NOT NULL
  WITH thing ORDER BY thing.namespace, thing.node_id LIMIT $compared
  RETURN thing
  UNION
  MATCH (decision:Decision {namespace: $namespace})
  WHERE decision.active_target IS NOT NULL AND coalesce(decision.valid_until > datetime.realtime(), true)
  WITH decision LIMIT $compared
  MATCH (decision)-[:ABOUT|MENTIONS]->(thing:Entity)
  WITH thing LIMIT $compared
  RETURN thing
}
WITH thing, COUNT { (thing)--() } AS connections
WHERE connections > 0
WITH thing, connections
ORDER BY connections DESC, thing.name
LIMIT $limit
RETURN thing.name AS name, coalesce(thing.label, 'Entity') AS label, connections
