// Returns the passages that a full-text query finds, best first, and what the first of them carry.
// read
// $query STRING: a Lucene query that requires a scope, and with it the namespace
// $limit INTEGER: how many at most
// $first INTEGER: of how many it is told what they carry
CALL db.index.fulltext.queryNodes('passage_words', $query, {limit: $limit}) YIELD node, score
WHERE score > 0
WITH node, score ORDER BY score DESC, node.record DESC, node.id
// One row: a row for each would cost more than the search itself.
WITH collect([node.id, node.record, score]) AS hits, collect(node)[..$first] AS best
RETURN hits, [node IN best | [node.scope, node.at]] AS first
