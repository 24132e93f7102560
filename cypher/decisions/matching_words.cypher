// Returns the ids of the decisions whose words match best, best first, in one row.
// read
// $namespace STRING: the caller's namespace
// $query STRING: a Lucene query that requires the namespace's scope
// $limit INTEGER: how many at most
CALL db.index.fulltext.queryNodes('decision_words', $query, {limit: $limit}) YIELD node, score
WHERE score > 0 AND node.namespace = $namespace
WITH node.id AS id, score
ORDER BY score DESC, id
RETURN collect(id) AS ids
