// Removes the summary of a session, and what it was found by.
// write
// $namespace STRING: the caller's namespace
// $id STRING: the summary's id
MATCH (collection:MemoryCollection {namespace: $namespace, of: 'summaries', state: 'live'})
MATCH (summary:Collected {namespace: $namespace, collection: collection.id, id: $id})
OPTIONAL MATCH (part:Passage)-[:PASSAGE_OF]->(summary)
WITH summary, collect(part) AS parts
// Qdrant forgets them as soon as the projector has come round.
FOREACH (part IN parts |
  MERGE (:Tombstone {namespace: $namespace, kind: 'passage', key: part.id})
  DETACH DELETE part
)
DETACH DELETE summary
