// Logs that something of an agent was corrected, connected to the record that it corrects where the graph has it.
// write
// $namespace STRING: the caller's namespace
// $agent_id STRING: the agent
// $id STRING: the correction's id
// $node_id INTEGER: its integer id, which also orders the corrections of one millisecond
// $at INTEGER: when, in epoch milliseconds
// $by STRING: name of the principal who logged it
// $name STRING: its caption
// $correction_type STRING: type of correction
// $original_entry_id STRING: id of what was corrected, or null
// $original_value STRING: the data before, as JSON, or null
// $corrected_value STRING: the data after, as JSON, or null
// $reason STRING: why, or null
// $applied_automatically BOOLEAN: whether the system applied it
// $change MAP<ANY>: who does what, for the audit trail
WITH COLLECT {
  MATCH (record:Message {namespace: $namespace, id: $original_entry_id}) RETURN record
  UNION MATCH (record:Context {namespace: $namespace, id: $original_entry_id}) RETURN record
  UNION MATCH (record:Reference {namespace: $namespace, id: $original_entry_id}) RETURN record
  UNION MATCH (record:Attribution {namespace: $namespace, id: $original_entry_id}) RETURN record
  UNION MATCH (record:Correction {namespace: $namespace, id: $original_entry_id}) RETURN record
  UNION MATCH (record:Metric {namespace: $namespace, id: $original_entry_id}) RETURN record
  UNION MATCH (record:Entry {namespace: $namespace, id: $original_entry_id}) RETURN record
  UNION MATCH (record:Decision {namespace: $namespace, id: $original_entry_id}) RETURN record
  UNION
  MATCH (record:Insight {namespace: $namespace, id: toIntegerOrNull($original_entry_id)})
  WHERE toString(record.id) = $original_entry_id
  RETURN record
  UNION
  MATCH (collection:MemoryCollection {namespace: $namespace, of: 'memories', state: 'live'})
  MATCH (record:Collected {namespace: $namespace, collection: collection.id, id: $original_entry_id})
  RETURN record
} AS records
MERGE (agent:JournalAgent {namespace: $namespace, id: $agent_id})
ON CREATE SET agent.name = $agent_id, agent.created_at = datetime({epochMillis: $at})
CREATE (correction:Correction {
  namespace: $namespace,
  id: $id,
  node_id: $node_id,
  name: $name,
  agent_id: $agent_id,
  correction_type: $correction_type,
  original_entry_id: $original_entry_id,
  original_value: $original_value,
  corrected_value: $corrected_value,
  reason: $reason,
  applied_automatically: $applied_automatically,
  created_at: datetime({epochMillis: $at}),
  created_by: $by
})-[:IN]->(agent)
FOREACH (record IN records | CREATE (correction)-[:CORRECTS]->(record))
MERGE (who:Principal {namespace: $namespace, name: $change.by})
CREATE (who)-[:DID]->(:Change $change)-[:CHANGED {created: true}]->(correction)
RETURN [record IN records |
  coalesce(record.label, head([label IN labels(record) WHERE NOT label IN ['Passage', 'Unprojected']]))
] AS corrects
