// Returns the entities of these names, and the decisions in force with targets similar to a new one.
// read
// $namespace STRING: the caller's namespace
// $names LIST<STRING>: keys of names
// $query STRING: full-text query for similar targets, within the namespace; empty for none
// $now ZONED DATETIME: the current time
// $limit INTEGER: how many of these decisions at most
CALL () {
  UNWIND $names AS key
  CALL (key) {
    MATCH (entity:Entity {namespace: $namespace, name_key: key})
    RETURN entity
    UNION
    // A name from before a merge or a rename.
    MATCH (:Alias {namespace: $namespace, name_key: key})-[:ALIAS_OF*1..5]->(entity:Entity)
    RETURN entity
  }
  WITH key, entity.name AS name ORDER BY name
  RETURN collect([key, name]) AS entities
}
CALL () {
  WITH $query AS query
  WHERE query <> ''
  CALL db.index.fulltext.queryNodes('targets_in_force', query, {limit: $limit}) YIELD node, score
  WHERE score > 0 AND node.namespace = $namespace AND node.active_target IS NOT NULL
    AND coalesce(node.valid_until > $now, true)
  RETURN collect({
    decision_id: node.id,
    title: coalesce(node.title, ''),
    target: coalesce(node.target, ''),
    target_key: node.target_key
  }) AS near
}
// One row for all of them: the driver takes longer to read many rows than the search takes.
RETURN entities, near
