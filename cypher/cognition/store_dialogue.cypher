// Stores what was said, after the last dialogue of its session.
// write
// $namespace STRING: the caller's namespace
// $id INTEGER: the dialogue's id
// $name STRING: its caption
// $session_id STRING: the session
// $place INTEGER: its place there, from 0
// $after INTEGER: id of the last dialogue of the session, or null
// $speaker STRING: who said it
// $content STRING: what was said
// $metadata STRING: JSON of the caller's object
// $at ZONED DATETIME: when
// $by STRING: name of the principal who stored it
// $change MAP<ANY>: who does what, for the audit trail
MATCH (session:Session {namespace: $namespace, id: $session_id})
CREATE (dialogue:Dialogue {
  namespace: $namespace,
  id: $id,
  node_id: $id,
  name: $name,
  session_id: $session_id,
  place: $place,
  speaker: $speaker,
  content: $content,
  metadata: $metadata,
  created_at: $at,
  created_by: $by
})-[:IN]->(session)
WITH dialogue
CALL (dialogue) {
  MATCH (last:Dialogue {namespace: $namespace, id: $after})
  CREATE (last)-[:NEXT]->(dialogue)
}
MERGE (who:Principal {namespace: $namespace, name: $change.by})
CREATE (who)-[:DID]->(:Change $change)-[:CHANGED]->(dialogue)
