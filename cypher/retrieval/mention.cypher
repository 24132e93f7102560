// Connects a record to the entities that it mentions, and creates linked entities that do not exist.
// write
// $namespace STRING: the caller's namespace
// $record STRING: element id of the record
// $scope STRING: the namespace's tag in full-text indexes
// $entities LIST<MAP>: name, key (what names are compared by), and node_id (a fresh integer, for a new entity)
// $operation STRING: id of the operation that this write belongs to
MATCH (record) WHERE elementId(record) = $record AND record.namespace = $namespace
UNWIND $entities AS mentioned
// In one order everywhere, so that two writers never wait for one another.
WITH record, mentioned ORDER BY mentioned.name
MERGE (entity:Entity {namespace: $namespace, name: mentioned.name})
ON CREATE SET
  entity.node_id = mentioned.node_id, entity.label = 'Entity',
  entity.created_at = datetime(), entity.updated_at = datetime(), entity.change_operation = $operation
// Takes the lock of the node at once: two writers that share it first would block each other.
SET entity:Entity
// An entity that is new or made by hand gets what it lacks; setting an equal value writes nothing.
SET entity.node_id = coalesce(entity.node_id, mentioned.node_id), entity.scope = $scope, entity.name_key = mentioned.key
MERGE (record)-[:MENTIONS]->(entity)
