// Stores an entry after the last entry of its session.
// write
// $namespace STRING: the caller's namespace
// $id STRING: the entry's id
// $node_id INTEGER: its integer id, which also orders the entries of one millisecond
// $title STRING: its title
// $body STRING: its text
// $type STRING: what kind of entry
// $project STRING: name of its project
// $source_ref STRING: what it refers to, or null
// $metadata STRING: JSON of the caller's object
// $session_id STRING: its session, or null
// $after INTEGER: integer id of the last entry of its session and project, or null
// $at ZONED DATETIME: when
// $by STRING: name of the principal who saved it
// $document MAP<ANY>: of a document's entry, its current_source and hash; empty for any other
// $whole MAP<ANY>: what the entry is found by, where it is one passage; else empty
// $whole_labels LIST<STRING>: Passage and Unprojected where it is one passage; else none
// $change MAP<ANY>: who does what, for the audit trail
MERGE (project:EntryProject {namespace: $namespace, name: $project})
CREATE (entry:Entry {
  namespace: $namespace,
  id: $id,
  node_id: $node_id,
  // What neighbours and paths call it, whatever other labels it carries.
  label: 'Entry',
  name: $title,
  title: $title,
  body: $body,
  type: $type,
  project: $project,
  source_ref: $source_ref,
  metadata: $metadata,
  session_id: $session_id,
  status: 'active',
  created_at: $at,
  created_by: $by
})-[:IN]->(project)
SET entry += $document, entry += $whole, entry:$($whole_labels)
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
CREATE (who)-[:DID]->(:Change $change)-[:CHANGED]->(entry)
RETURN elementId(entry) AS element
