// Stores a dialogue after the last one of its session.
// write
// $namespace STRING: the caller's namespace
// $id INTEGER: the dialogue's id
// $name STRING: its caption
// $session_id STRING: the session
// $position INTEGER: its position there, from 0
// $after INTEGER: id of the last dialogue of the session, or null
// $speaker STRING: who said it
// $content STRING: the words
// $metadata STRING: JSON of the caller's object
// $at ZONED DATETIME: its time
// $by STRING: name of the principal who stored it
// $change MAP<ANY>: who does what, for the audit trail
MATCH (session:Session {namespace: $namespace, id: $session_id})
CREATE (dialogue:Dialogue {
  namespace: $namespace,
  id: $id,
  node_id: $id,
  name: $name,
  session_id: $session_id,
  place: $position,
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
CREATE (who)-[:DID]->(:Change $change)-[:CHANGED {created: true}]->(dialogue)
