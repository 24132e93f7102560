// Returns the entities of these names, and the decisions in force with targets similar to a new one.
// read
// $namespace STRING: the caller's namespace
// $names LIST<STRING>: keys of names, in groups
// $starts LIST<STRING>: the beginning that the keys of a group share, for each group; empty for none
// $ends LIST<INTEGER>: the index after the last key of each group
// $query STRING: full-text query for similar targets, within the namespace; empty for none
// $now ZONED DATETIME: the current time
// $limit INTEGER: how many of these decisions at most
CALL () {
  CALL () {
    UNWIND range(0, size($starts) - 1) AS number
    WITH number, $starts[number] AS start
    // Most groups end here: no name begins with their first two words.
    WHERE start = '' OR EXISTS { MATCH (any:Entity {namespace: $namespace}) WHERE any.name_key STARTS WITH start }
    UNWIND $names[CASE number WHEN 0 THEN 0 ELSE $ends[number - 1] END..$ends[number]] AS key
    MATCH (entity:Entity {namespace: $namespace, name_key: key})
    RETURN key, entity
    UNION
    // Names from before a merge or a rename.
    UNWIND range(0, size($starts) - 1) AS number
    WITH number, $starts[number] AS start
    WHERE start = '' OR EXISTS { MATCH (any:Alias {namespace: $namespace}) WHERE any.name_key STARTS WITH start }
    UNWIND $names[CASE number WHEN 0 THEN 0 ELSE $ends[number - 1] END..$ends[number]] AS key
    MATCH (:Alias {namespace: $namespace, name_key: key})-[:ALIAS_OF*1..5]->(entity:Entity)
    RETURN key, entity
  }
  WITH key, entity.name AS name ORDER BY key, name
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
