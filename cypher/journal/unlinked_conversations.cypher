// Returns conversations with messages that an older release stored without passages.
// read
// $limit INTEGER: how many messages are read at most
MATCH (message:Message)
WHERE message.scope IS NOT NULL
  // A message that lacks one of these was not stored by this service and cannot be linked.
  AND message.namespace IS NOT NULL AND message.id IS NOT NULL AND message.node_id IS NOT NULL
  AND message.agent_id IS NOT NULL AND message.conversation_id IS NOT NULL AND message.created_at IS NOT NULL
WITH message LIMIT $limit
RETURN DISTINCT
  message.namespace AS namespace,
  message.agent_id AS agent_id,
  message.conversation_id AS conversation_id
