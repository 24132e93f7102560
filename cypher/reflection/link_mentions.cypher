// Connects records to existing entities that their texts name, and notes up to when records were read.
// write
// $namespace STRING: the namespace
// $rows LIST<MAP>: element (element id of a record) and names (of entities)
// $until ZONED DATETIME: time of the last record that was read, or null to leave it as it is
MATCH (state:Reflection {namespace: $namespace})
SET state.linked_until = coalesce($until, state.linked_until)
WITH state
UNWIND $rows AS row
MATCH (record) WHERE elementId(record) = row.element AND record.namespace = $namespace
UNWIND row.names AS name
MATCH (entity:Entity {namespace: $namespace, name: name})
MERGE (record)-[:MENTIONS]->(entity)
RETURN count(*) AS linked
