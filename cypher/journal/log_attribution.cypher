// Logs where an agent's information came from.
// write
// $namespace STRING: the caller's namespace
// $agent_id STRING: the agent
// $id STRING: the attribution's id
// $node_id INTEGER: its integer id, which also orders what was retrieved in one millisecond
// $at INTEGER: now, in epoch milliseconds
// $by STRING: name of the principal who logged it
// $name STRING: its caption
// $source_type STRING: type of source
// $source_uri STRING: URL, query or other identifier, or null
// $retrieval_timestamp FLOAT: the caller's number, integer or decimal
// $content_summary STRING: a summary of the content, or null
// $full_content_hash STRING: hash of the content, or null
// $change MAP<ANY>: who does what, for the audit trail
MERGE (agent:JournalAgent {namespace: $namespace, id: $agent_id})
ON CREATE SET agent.name = $agent_id, agent.created_at = datetime({epochMillis: $at})
CREATE (attribution:Attribution {
  namespace: $namespace,
  id: $id,
  node_id: $node_id,
  name: $name,
  agent_id: $agent_id,
  source_type: $source_type,
  source_uri: $source_uri,
  retrieval_timestamp: $retrieval_timestamp,
  content_summary: $content_summary,
  full_content_hash: $full_content_hash,
  created_at: datetime({epochMillis: $at}),
  created_by: $by
})-[:IN]->(agent)
MERGE (who:Principal {namespace: $namespace, name: $change.by})
CREATE (who)-[:DID]->(:Change $change)-[:CHANGED {created: true}]->(attribution)
