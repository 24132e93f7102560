// Stores a reference key of an agent, connected to the record and the conversation that it names, where they exist.
// write
// $namespace STRING: the caller's namespace
// $agent_id STRING: the agent
// $id STRING: the reference's id
// $node_id INTEGER: its integer id, which also orders the references of one millisecond
// $at INTEGER: when, in epoch milliseconds
// $by STRING: name of the principal who added it
// $name STRING: its caption
// $key_type STRING: type of key
// $key_value STRING: the key
// $description STRING: what it references, or null
// $associated_conversation_id STRING: a conversation, or null
// $change MAP<ANY>: who does what, for the audit trail
WITH COLLECT {
  MATCH (record:Message {namespace: $namespace, id: $key_value}) RETURN record
  UNION MATCH (record:Context {namespace: $namespace, id: $key_value}) RETURN record
  UNION MATCH (record:Attribution {namespace: $namespace, id: $key_value}) RETURN record
  UNION MATCH (record:Correction {namespace: $namespace, id: $key_value}) RETURN record
  UNION MATCH (record:Metric {namespace: $namespace, id: $key_value}) RETURN record
  UNION MATCH (record:Entry {namespace: $namespace, id: $key_value}) RETURN record
  UNION MATCH (record:Decision {namespace: $namespace, id: $key_value}) RETURN record
} AS records, COLLECT {
  MATCH (conversation:Session {namespace: $namespace, id: $associated_conversation_id}) RETURN conversation
  UNION MATCH (conversation:Message {namespace: $namespace, id: $associated_conversation_id}) RETURN conversation
} AS conversations
MERGE (agent:JournalAgent {namespace: $namespace, id: $agent_id})
ON CREATE SET agent.name = $agent_id, agent.created_at = datetime({epochMillis: $at})
CREATE (reference:Reference {
  namespace: $namespace,
  id: $id,
  node_id: $node_id,
  name: $name,
  agent_id: $agent_id,
  key_type: $key_type,
  key_value: $key_value,
  description: $description,
  associated_conversation_id: $associated_conversation_id,
  created_at: datetime({epochMillis: $at}),
  created_by: $by
})-[:IN]->(agent)
FOREACH (record IN records | CREATE (reference)-[:MENTIONS]->(record))
FOREACH (conversation IN conversations | CREATE (reference)-[:IN]->(conversation))
MERGE (who:Principal {namespace: $namespace, name: $change.by})
CREATE (who)-[:DID]->(:Change $change)-[:CHANGED {created: true}]->(reference)
