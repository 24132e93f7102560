// Changes an entry in place, keeps its former properties, and removes the passages and mentions of its former text.
// write
// $namespace STRING: the caller's namespace
// $id STRING: the entry's id
// $properties MAP<ANY>: the properties that change
// $text_key STRING: hash of the new text
// $reason STRING: why
// $change MAP<ANY>: the entry of the audit trail
MATCH (entry:Entry {namespace: $namespace, id: $id})
MERGE (who:Principal {namespace: $namespace, name: $change.by})
CREATE (who)-[:DID]->(change:Change $change)-[:CHANGED]->(entry)
SET change.reason = $reason
CREATE (change)-[was:WAS]->(entry)
SET was = properties(entry), was.former_labels = [label IN labels(entry) WHERE label <> 'Unprojected']
WITH change, entry
CALL (entry) {
  OPTIONAL MATCH (part:Passage)-[:PASSAGE_OF]->(entry)
  RETURN collect(part) AS parts
}
// The projector removes them from Qdrant; a search of the past finds them by their words.
FOREACH (part IN parts |
  MERGE (:Tombstone {namespace: $namespace, kind: 'passage', key: part.id})
  SET part.former_until = change.at, part.former_change = change.id, part:FormerPassage
  REMOVE part:Passage:Unprojected:Reindex
)
FOREACH (_ IN CASE WHEN entry:Passage THEN [1] ELSE [] END |
  MERGE (:Tombstone {namespace: $namespace, kind: 'passage', key: entry.id})
  // Its words are overwritten below, so a copy keeps them.
  CREATE (former:FormerPassage)-[:PASSAGE_OF]->(entry)
  SET former = entry {
    .namespace, .name, .record, .words, .around, .scope, .at, .whole, .parts, .session, .place, .last_place, .heading,
    id: change.id, text: entry.body, is_copy: true, former_until: change.at, former_change: change.id
  }
)
REMOVE entry:Passage:Unprojected, entry.words, entry.around, entry.text_key
WITH DISTINCT change, entry
CALL (change, entry) {
  MATCH (entry)-[mention:MENTIONS]->(entity)
  CREATE (entry)-[former:FORMER]->(entity)
  SET former = properties(mention), former.former_type = 'MENTIONS', former.former_until = change.at,
    former.former_change = change.id
  DELETE mention
}
SET entry += $properties, entry.name = coalesce($properties.title, entry.name), entry.updated_at = change.at,
  entry.text_revision = coalesce(entry.text_revision, 1) + 1
// Another current memory may have the text already: both stay.
WITH change, entry, EXISTS {
  MATCH (other:Entry {namespace: $namespace, project: entry.project, text_key: $text_key})
} AS taken
SET entry.text_key = $text_key + CASE WHEN taken THEN ':' + entry.id ELSE '' END
RETURN elementId(entry) AS element, entry.text_revision AS revision, change.at.epochMillis AS updated_at
