// Returns passages that a full-text query finds, best first, and how many entries they belong to.
// read
// $namespace STRING: the caller's namespace
// $query STRING: a Lucene query that requires a scope
// $unmatched BOOLEAN: whether those count, too, that are in the scope and have none of the words
// $limit INTEGER: how many are looked at, at most
// $first INTEGER: how many are returned, at most
CALL db.index.fulltext.queryNodes('passage_words', $query, {limit: $limit}) YIELD node, score
WHERE node.namespace = $namespace AND (score > 0 OR $unmatched)
WITH node, score ORDER BY score DESC, node.at DESC, node.id
// One row: a row for each would cost more than the search itself.
WITH collect([node.id, node.entry_id, node.session_id, node.project, node.at, score])[..$first] AS hits,
  count(*) AS passages, count(DISTINCT node.entry_id) AS entries
RETURN hits, passages, entries
