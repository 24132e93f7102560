// Turns current entries into history: readable, but no longer found.
// write
// $namespace STRING: the namespace
// $ids LIST<STRING>: ids of the entries
// $status STRING: superseded or expired
// $change MAP<ANY>: the entry of the audit trail
MERGE (who:Principal {namespace: $namespace, name: $change.by})
CREATE (who)-[:DID]->(change:Change $change)
WITH change
UNWIND $ids AS id
MATCH (entry:Entry {namespace: $namespace, id: id})
CREATE (change)-[:CHANGED]->(entry)
CREATE (change)-[was:WAS]->(entry)
SET was = properties(entry), was.former_labels = [label IN labels(entry) WHERE label <> 'Unprojected']
WITH change, entry
SET entry.status = $status, entry.superseded_at = CASE WHEN $status = 'superseded' THEN change.at END
REMOVE entry.expires_at, entry.text_key, entry.source_key
WITH change, entry
CALL (change, entry) {
  MATCH (entry)-[mention:MENTIONS]->(entity)
  CREATE (entry)-[former:FORMER]->(entity)
  SET former = properties(mention), former.former_type = 'MENTIONS', former.former_until = change.at,
    former.former_change = change.id
  DELETE mention
}
CALL (entry) {
  OPTIONAL MATCH (part:Passage)-[:PASSAGE_OF]->(entry)
  RETURN collect(part) AS parts
}
// The projector removes them from Qdrant; a search of the past finds them by their words.
FOREACH (part IN parts + CASE WHEN entry:Passage THEN [entry] ELSE [] END |
  MERGE (:Tombstone {namespace: $namespace, kind: 'passage', key: part.id})
  SET part.former_until = change.at, part.former_change = change.id, part:FormerPassage
  REMOVE part:Passage:Unprojected:Reindex
)
