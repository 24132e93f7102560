// Removes the summaries of a session with their passages; an import may have brought several.
// write
// $namespace STRING: the caller's namespace
// $session_id STRING: the session's id
MATCH (collection:MemoryCollection {namespace: $namespace, of: 'summaries', state: 'live'})
MATCH (summary:Summary {namespace: $namespace, session_id: $session_id})
WHERE summary.collection = collection.id
OPTIONAL MATCH (part:Passage)-[:PASSAGE_OF]->(summary)
WITH summary, collect(part) AS parts
// The projector removes them from Qdrant by these tombstones.
FOREACH (part IN parts |
  MERGE (:Tombstone {namespace: $namespace, kind: 'passage', key: part.id})
  DETACH DELETE part
)
DETACH DELETE summary
