// Stores a memory after the last one of its session.
// write
// $namespace STRING: the caller's namespace
// $collection STRING: id of its collection
// $id STRING: its id
// $node_id INTEGER: its integer id
// $name STRING: its caption
// $session_id STRING: its session
// $after STRING: element id of the last memory of its session, or null
// $at ZONED DATETIME: its time
// $prompt STRING: what was asked
// $thought STRING: the agent's reasoning
// $response STRING: the answer
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
CREATE (who)-[:DID]->(:Change $change)-[:CHANGED {created: true}]->(memory)
RETURN elementId(memory) AS element
