// Returns a page of the agents that have a journal, the last active first, with their numbers of messages and contexts.
// read
// $namespace STRING: the caller's namespace
// $limit INTEGER: how many at most
// $offset INTEGER: how many are skipped
MATCH (agent:JournalAgent {namespace: $namespace})
WHERE agent.id IS NOT NULL
// Each subquery reads one entry of its index: the conditions and the order name the whole key.
CALL (agent) {
  MATCH (message:Message)
  WHERE message.namespace = $namespace AND message.agent_id = agent.id
    AND message.created_at IS NOT NULL AND message.node_id IS NOT NULL
  WITH message
  ORDER BY message.namespace DESC, message.agent_id DESC, message.created_at DESC, message.node_id DESC
  LIMIT 1
  RETURN collect(message.created_at.epochMillis) AS last_message
}
CALL (agent) {
  MATCH (context:Context)
  WHERE context.namespace = $namespace AND context.agent_id = agent.id
    AND context.created_at IS NOT NULL AND context.node_id IS NOT NULL
  WITH context
  ORDER BY context.namespace DESC, context.agent_id DESC, context.created_at DESC, context.node_id DESC
  LIMIT 1
  RETURN collect(context.created_at.epochMillis) AS last_context
}
WITH
  agent,
  reduce(
    last = agent.created_at.epochMillis, at IN last_message + last_context | CASE WHEN at > last THEN at ELSE last END
  ) AS last
ORDER BY last DESC, agent.id
SKIP $offset LIMIT $limit
RETURN
  agent.id AS agent_id,
  COUNT {
    MATCH (message:Message {namespace: $namespace, agent_id: agent.id})
    WHERE message.created_at IS NOT NULL AND message.node_id IS NOT NULL
  } AS messages,
  COUNT {
    MATCH (context:Context {namespace: $namespace, agent_id: agent.id})
    WHERE context.created_at IS NOT NULL AND context.node_id IS NOT NULL
  } AS contexts,
  last AS last_activity
ORDER BY last_activity DESC, agent_id
