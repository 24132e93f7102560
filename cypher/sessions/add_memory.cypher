// Stores what was asked, thought and answered, after what was before it in its session.
// write
// $namespace STRING: the caller's namespace
// $collection STRING: id of the collection that it goes into
// $id STRING: its id
// $node_id INTEGER: its integer id
// $name STRING: what people call it
// $session_id STRING: its session
// $after STRING: element id of the last memory of its session, or null
// $at ZONED DATETIME: when
// $prompt STRING: what was asked
// $thought STRING: what the agent thought
// $response STRING: what it answered
// $by STRING: name of the principal who stored it
// $change MAP<ANY>: who does what, for the audit trail
MATCH (session:Session {namespace: $namespace, id: $session_id})
CREATE (memory:Interaction:Collected {
  namespace: $namespace,
  collection: $collection,
  id: $id,
  node_id: $node_id,
  label: 'Interaction',
  name: $name,
  session_id: $session_id,
  created_at: $at,
  prompt: $prompt,
  thought: $thought,
  response: $response,
  extra: '{}',
  created_by: $by
})-[:IN]->(session)
WITH memory
CALL (memory) {
  MATCH (before) WHERE elementId(before) = $after
  CREATE (before)-[:NEXT]->(memory)
}
MERGE (who:Principal {namespace: $namespace, name: $change.by})
CREATE (who)-[:DID]->(:Change $change)-[:CHANGED]->(memory)
RETURN elementId(memory) AS element
