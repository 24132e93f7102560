// Stores a message of an agent, unless its context or its source is unknown; returns whether they are known.
// write
// $namespace STRING: the caller's namespace
// $agent_id STRING: the agent whose journal it is
// $id STRING: the message's id
// $node_id INTEGER: its integer id, which also orders the messages of one millisecond
// $at INTEGER: when, in epoch milliseconds
// $by STRING: name of the principal who stored it
// $name STRING: its caption
// $conversation_id STRING: its conversation
// $grouped BOOLEAN: whether the caller named the conversation
// $user_id STRING: the user, or null
// $sender STRING: role of the sender
// $message_content STRING: its content
// $message_type STRING: text, image, tool_call …
// $tool_info STRING: JSON of a tool call, or null
// $context_snapshot_id STRING: id of a context, or null
// $source_attribution_id STRING: id of an attribution, or null
// $change MAP<ANY>: who does what, for the audit trail
OPTIONAL MATCH (context:Context {namespace: $namespace, id: $context_snapshot_id})
OPTIONAL MATCH (source:Attribution {namespace: $namespace, id: $source_attribution_id})
WITH context, source,
     $context_snapshot_id IS NULL OR context IS NOT NULL AS context_known,
     $source_attribution_id IS NULL OR source IS NOT NULL AS source_known
CALL (context, source, context_known, source_known) {
  WITH * WHERE context_known AND source_known
  MERGE (agent:JournalAgent {namespace: $namespace, id: $agent_id})
  ON CREATE SET agent.name = $agent_id, agent.created_at = datetime({epochMillis: $at})
  CREATE (message:Message {
    namespace: $namespace,
    id: $id,
    node_id: $node_id,
    name: $name,
    agent_id: $agent_id,
    conversation_id: $conversation_id,
    user_id: $user_id,
    sender: $sender,
    message_content: $message_content,
    message_type: $message_type,
    tool_info: $tool_info,
    context_snapshot_id: $context_snapshot_id,
    source_attribution_id: $source_attribution_id,
    created_at: datetime({epochMillis: $at}),
    created_by: $by
  })-[:IN]->(agent)
  FOREACH (_ IN CASE WHEN $grouped THEN [1] ELSE [] END |
    MERGE (session:Session {namespace: $namespace, id: $conversation_id})  // it exists: it was locked before
    CREATE (message)-[:IN]->(session)
  )
  FOREACH (_ IN CASE WHEN $user_id IS NULL THEN [] ELSE [1] END |
    MERGE (user:JournalUser {namespace: $namespace, id: $user_id})
    ON CREATE SET user.name = $user_id, user.created_at = datetime({epochMillis: $at})
    CREATE (message)-[:IN]->(user)
  )
  FOREACH (_ IN CASE WHEN context IS NULL THEN [] ELSE [1] END | CREATE (message)-[:IN]->(context))
  FOREACH (_ IN CASE WHEN source IS NULL THEN [] ELSE [1] END | CREATE (message)-[:EVIDENCED_BY]->(source))
  MERGE (who:Principal {namespace: $namespace, name: $change.by})
  CREATE (who)-[:DID]->(:Change $change)-[:CHANGED {created: true}]->(message)
  RETURN collect(elementId(message)) AS stored
}
RETURN context_known, source_known, head(stored) AS element
