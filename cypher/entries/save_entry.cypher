// Stores an entry after the last entry of its session, and returns the rejected or retracted record that it repeats.
// write
// $namespace STRING: the caller's namespace
// $id STRING: the entry's id
// $node_id INTEGER: its integer id, which also orders entries of the same millisecond
// $title STRING: its title
// $body STRING: its text
// $content_key STRING: the key that its text is compared by
// $type STRING: its type
// $project STRING: name of its project
// $source_ref STRING: its source, or null
// $metadata STRING: the metadata as JSON
// $session_id STRING: its session, or null
// $after INTEGER: integer id of the last entry of its session and project, or null
// $at ZONED DATETIME: when it was saved
// $by STRING: name of the principal who saved it
// $current MAP<ANY>: properties of a current entry: keys that recognise it, and until when it is valid
// $passage MAP<ANY>: properties of the passage, if the entry is one passage; else empty
// $passage_labels LIST<STRING>: Passage and Unprojected, if the entry is one passage; else empty
// $change MAP<ANY>: the entry of the audit trail
MERGE (project:EntryProject {namespace: $namespace, name: $project})
CREATE (entry:Entry {
  namespace: $namespace,
  id: $id,
  node_id: $node_id,
  // The label that neighbours and paths show, whatever other labels the node has.
  label: 'Entry',
  name: $title,
  title: $title,
  body: $body,
  content_key: $content_key,
  type: $type,
  project: $project,
  source_ref: $source_ref,
  metadata: $metadata,
  session_id: $session_id,
  status: 'active',
  created_at: $at,
  created_by: $by
})-[:IN]->(project)
SET entry += $current, entry += $passage, entry:$($passage_labels)
WITH entry
CALL (entry) {
  MATCH (session:Session {namespace: $namespace, id: $session_id})
  CREATE (entry)-[:IN]->(session)
}
CALL (entry) {
  MATCH (last:Entry {namespace: $namespace, node_id: $after})
  CREATE (last)-[:NEXT]->(entry)
}
MERGE (who:Principal {namespace: $namespace, name: $change.by})
CREATE (who)-[:DID]->(:Change $change)-[:CHANGED {created: true}]->(entry)
// What a human rejected or retracted is marked where it comes back.
WITH entry, COLLECT {
  MATCH (old:Retracted {namespace: $namespace, content_key: $content_key})
  RETURN {id: toString(coalesce(old.id, old.node_id)), how: 'retracted', reason: old.retracted_reason} AS found
  UNION
  MATCH (old:Proposal {namespace: $namespace, content_key: $content_key, status: 'rejected'})
  RETURN {id: old.id, how: 'rejected', reason: old.rejection_reason} AS found
} AS repeated
SET entry.repeats = head(repeated).id
RETURN elementId(entry) AS element, head(repeated) AS repeats
