// Returns conversations that hold messages from before messages had passages.
// read
// $limit INTEGER: how many messages are looked at
MATCH (message:Message)
WHERE message.scope IS NOT NULL
  // What lacks one of these was never stored by us, and nothing can link it.
  AND message.namespace IS NOT NULL AND message.id IS NOT NULL AND message.node_id IS NOT NULL
  AND message.agent_id IS NOT NULL AND message.conversation_id IS NOT NULL AND message.created_at IS NOT NULL
WITH message LIMIT $limit
RETURN DISTINCT
  message.namespace AS namespace,
  message.agent_id AS agent_id,
  message.conversation_id AS conversation_id
