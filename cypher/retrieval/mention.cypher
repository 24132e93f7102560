// Connects a record to the entities that it mentions, and creates those that only a link names so far.
// write
// $namespace STRING: the caller's namespace
// $record STRING: element id of the record
// $scope STRING: the namespace's word in full-text indexes
// $entities LIST<MAP>: name, and node_id (a fresh integer, taken where the entity is created)
MATCH (record) WHERE elementId(record) = $record AND record.namespace = $namespace
UNWIND $entities AS mentioned
MERGE (entity:Entity {namespace: $namespace, name: mentioned.name})
ON CREATE SET entity.label = 'Entity', entity.created_at = datetime(), entity.updated_at = datetime()
// Takes the node's lock at once: two who first share it, and then both want it alone, would stop each other.
SET entity:Entity
SET entity.node_id = coalesce(entity.node_id, mentioned.node_id), entity.scope = $scope,
  entity.name_key = toLower(mentioned.name)
MERGE (record)-[:MENTIONS]->(entity)
