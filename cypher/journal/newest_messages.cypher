// Returns the ids of an agent's newest messages.
// read
// $namespace STRING: the caller's namespace
// $agent_id STRING: the agent
// $limit INTEGER: how many at most
MATCH (message:Message {namespace: $namespace, agent_id: $agent_id})
// The order and the conditions name the whole key of the index, so that a page is read off it and nothing is sorted.
WHERE message.created_at IS NOT NULL AND message.node_id IS NOT NULL
WITH message
ORDER BY message.namespace DESC, message.agent_id DESC, message.created_at DESC, message.node_id DESC
LIMIT $limit
RETURN message.id AS id
