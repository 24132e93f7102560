// Stores the passages of records, queued for projection; adds their words to the passages before them; and connects the records to what they mention.
// write
// $namespace STRING: the caller's namespace
// $records LIST<MAP>: of each record its element id (element), the properties of its passages (passages), and the entities that it mentions (mentions), each with name, key (what names are compared by), and node_id (a fresh integer, for a new entity)
// $neighbours LIST<MAP>: id of each earlier passage that the records follow, and the words to add to those around it
// $scope STRING: the namespace's tag in full-text indexes
// $operation STRING: id of the operation that this write belongs to
CALL () {
  UNWIND $records AS stored
  MATCH (record) WHERE elementId(record) = stored.element
  UNWIND stored.passages AS passage
  CREATE (each:Passage:Unprojected)-[:PASSAGE_OF]->(record)
  SET each = passage
}
CALL () {
  UNWIND $neighbours AS neighbour
  MATCH (passage:Passage {namespace: $namespace, id: neighbour.id})
  SET passage.around = passage.around + ' ' + neighbour.words
}
CALL () {
  UNWIND $records AS stored
  UNWIND stored.mentions AS mentioned
  // In one order everywhere, so that two writers never wait for one another.
  WITH stored.element AS element, mentioned ORDER BY mentioned.name
  MERGE (entity:Entity {namespace: $namespace, name: mentioned.name})
  ON CREATE SET
    entity.node_id = mentioned.node_id, entity.label = 'Entity',
    entity.created_at = datetime(), entity.updated_at = datetime(), entity.change_operation = $operation
  // Takes the lock of the node at once: two writers that share it first would block each other.
  SET entity:Entity
  // An entity that is new or made by hand gets what it lacks; setting an equal value writes nothing.
  SET
    entity.node_id = coalesce(entity.node_id, mentioned.node_id),
    entity.scope = $scope,
    entity.name_key = mentioned.key
  WITH entity, element
  MATCH (record) WHERE elementId(record) = element AND record.namespace = $namespace
  MERGE (record)-[:MENTIONS]->(entity)
}
