// Turns the entry of a changed or missing document into history: readable, but no longer found.
// write
// $namespace STRING: the caller's namespace
// $id STRING: the entry's id
MATCH (entry:Entry {namespace: $namespace, id: $id})
SET entry.status = 'superseded', entry.superseded_at = datetime()
REMOVE entry.current_source
WITH entry
OPTIONAL MATCH (entry)-[mention:MENTIONS]->()
DELETE mention
WITH DISTINCT entry
OPTIONAL MATCH (part:Passage)-[:PASSAGE_OF]->(entry)
WITH entry, collect(part) AS parts
// The projector removes them from Qdrant.
FOREACH (part IN parts + CASE WHEN entry:Passage THEN [entry] ELSE [] END |
  MERGE (:Tombstone {namespace: $namespace, kind: 'passage', key: part.id})
)
// A search of the past finds them by their words.
FOREACH (part IN parts + CASE WHEN entry:Passage THEN [entry] ELSE [] END |
  SET part.former_until = entry.superseded_at, part:FormerPassage
  REMOVE part:Passage:Unprojected
)
