// Returns the messages whose words match best, best first, and how well, in one row.
// read
// $namespace STRING: the caller's namespace
// $agent_id STRING: the agent whose messages they are
// $query STRING: a Lucene query that requires the agent's scope
// $limit INTEGER: how many at most
CALL db.index.fulltext.queryNodes('message_words', $query, {limit: $limit}) YIELD node, score
WHERE score > 0 AND node.namespace = $namespace AND node.agent_id = $agent_id
WITH node, score ORDER BY score DESC, node.created_at DESC, node.id
RETURN collect([node.id, score]) AS hits
