// Removes some records of retired collections with their passages.
// write
// $limit INTEGER: most records to remove
MATCH (collection:MemoryCollection {state: 'removed'})
CALL (collection) {
  MATCH (record:Collected {namespace: collection.namespace, collection: collection.id})
  WHERE record.created_at IS NOT NULL AND record.id IS NOT NULL
  RETURN record
  LIMIT $limit
}
WITH record
LIMIT $limit
OPTIONAL MATCH (part:Passage)-[:PASSAGE_OF]->(record)
WITH record, collect(part) AS parts
// The projector removes them from Qdrant by these tombstones.
FOREACH (part IN parts |
  MERGE (:Tombstone {namespace: part.namespace, kind: 'passage', key: part.id})
  DETACH DELETE part
)
DETACH DELETE record
RETURN count(*) AS dropped
