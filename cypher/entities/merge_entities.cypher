// Merges an entity into another one: its relations, missing properties, targets and name.
// write
// $namespace STRING: the caller's namespace
// $keep STRING: name of the entity that stays
// $drop STRING: name of the entity that becomes another name of it
// $bookkeeping LIST<STRING>: relationship types that stay as they are
// $reason STRING: why
// $change MAP<ANY>: the entry of the audit trail
MATCH (keep:Entity {namespace: $namespace, name: $keep})
MATCH (drop:Entity {namespace: $namespace, name: $drop})
MERGE (who:Principal {namespace: $namespace, name: $change.by})
CREATE (who)-[:DID]->(change:Change $change)-[:CHANGED]->(keep)
SET change.reason = $reason
CREATE (change)-[:CHANGED]->(drop)
CREATE (change)-[was:WAS]->(keep)
SET was = properties(keep), was.former_labels = [label IN labels(keep) WHERE label <> 'Unprojected']
// What both have, the entity that stays keeps.
FOREACH (key IN [key IN keys(drop) WHERE keep[key] IS NULL AND key <> 'change_operation'] | SET keep[key] = drop[key])
SET keep.updated_at = datetime()
WITH change, keep, drop
CALL (change, keep, drop) {
  MATCH (drop)-[edge]-()
  WHERE NOT type(edge) IN $bookkeeping
  WITH DISTINCT change, keep, drop, edge, startNode(edge) AS source, endNode(edge) AS target
  WITH change, keep, edge, source, target,
    CASE WHEN source = drop THEN keep ELSE source END AS from, CASE WHEN target = drop THEN keep ELSE target END AS to
  CREATE (source)-[former:FORMER]->(target)
  SET former = properties(edge), former.former_type = type(edge), former.former_until = change.at,
    former.former_change = change.id
  MERGE (change)-[:CHANGED]->(source)
  MERGE (change)-[:CHANGED]->(target)
  WITH change, keep, edge, source, target, from, to, type(edge) AS type,
    // A relation between the two means nothing once they are one.
    (from = to AND source <> target) OR EXISTS {
      MATCH (from)-[same]->(to)
      WHERE type(same) = type(edge) AND coalesce(same.relation, '') = coalesce(edge.relation, '')
    } AS needless
  FOREACH (_ IN CASE WHEN needless THEN [] ELSE [1] END |
    CREATE (from)-[moved:$(type)]->(to)
    // Before the merge, the entity that stays did not have it (query_neighbors_as_of).
    SET moved = properties(edge), moved.change_operation = change.operation, moved.created_at = change.at
  )
  DELETE edge
  RETURN count(*) AS relations
}
WITH change, keep, drop, relations
CALL (change, keep, drop) {
  CALL (drop) {
    MATCH (n:Decision {namespace: $namespace, target_key: drop.name_key}) RETURN n
    UNION
    MATCH (n:Proposal {namespace: $namespace, target_key: drop.name_key}) RETURN n
  }
  WITH change, keep, n
  MERGE (change)-[:CHANGED]->(n)
  CREATE (change)-[was:WAS]->(n)
  SET was = properties(n)
  SET n.target_key = keep.name_key, n.active_target = CASE WHEN n.active_target IS NULL THEN null ELSE keep.name_key END
  RETURN count(n) AS targets
}
WITH change, keep, drop, relations, targets
SET drop.retracted_from = [label IN labels(drop) WHERE label <> 'Unprojected'],
  drop.retracted_at = change.at, drop.retracted_by = change.by, drop.retracted_in = change.id,
  drop.retracted_reason = $reason
REMOVE drop:$(labels(drop))
SET drop:Retracted:Alias
CREATE (drop)-[:ALIAS_OF]->(keep)
RETURN change.id AS change_id, relations, targets
