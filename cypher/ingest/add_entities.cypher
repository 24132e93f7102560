// Creates entities that do not exist yet, as graph_add_edge would.
// write
// $namespace STRING: the caller's namespace
// $scope STRING: the namespace's tag in full-text indexes
// $rows LIST<MAP>: name, key (of the name), id (a fresh integer), label as written, labels (those that can be native)
UNWIND $rows AS row
// In one order everywhere: two writers who wait for each other's entities would block each other.
WITH row ORDER BY row.name
MERGE (entity:Entity {namespace: $namespace, name: row.name})
ON CREATE SET
  entity.node_id = row.id, entity.label = row.label, entity:$(row.labels),
  entity.created_at = datetime(), entity.updated_at = datetime()
SET entity.node_id = coalesce(entity.node_id, row.id), entity.scope = $scope, entity.name_key = row.key
