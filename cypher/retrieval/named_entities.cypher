// Returns the entities of these names, and of former names; case, width and spacing are ignored.
// read
// $namespace STRING: the caller's namespace
// $names LIST<STRING>: keys of names, in groups
// $starts LIST<STRING>: the beginning that the keys of a group share, for each group; empty for none
// $ends LIST<INTEGER>: the index after the last key of each group
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
// One row for all of them: the driver takes longer to read many rows than the search takes.
RETURN collect([key, name]) AS entities
