// Removes some of what collections hold that count no more, with what it was found by.
// write
// $limit INTEGER: how many at most
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
// Qdrant forgets them as soon as the projector has come round.
FOREACH (part IN parts |
  MERGE (:Tombstone {namespace: part.namespace, kind: 'passage', key: part.id})
  DETACH DELETE part
)
DETACH DELETE record
RETURN count(*) AS dropped
