// Returns the passages of a full-text query among those that ended after a time, with what matching_passages returns.
// read
// $query STRING: a Lucene query that requires a scope tag, and so the namespace
// $terms LIST<STRING>: the same query for each of its terms alone
// $limit INTEGER: how many passages at most
// $as_of ZONED DATETIME: the time; a passage of a retracted or replaced record ended with it
CALL () {
  UNWIND $terms AS term
  CALL db.index.fulltext.queryNodes('former_words', term, {limit: 1}) YIELD score
  WHERE score > 0
  RETURN collect(score) AS strongest
}
CALL () {
  CALL db.index.fulltext.queryNodes('former_words', $query, {limit: $limit}) YIELD node, score
  WHERE score > 0 AND coalesce(node.former_until > $as_of, true) AND coalesce(node.retracted_at > $as_of, true)
  WITH node, score ORDER BY score DESC, node.record DESC, node.id
  RETURN collect([node.id, node.record, coalesce(node.whole, false), score, node.at, {
    record: node.record,
    whole: coalesce(node.whole, false),
    parts: coalesce(node.parts, 1),
    session: node.session,
    first_place: node.place,
    last_place: coalesce(node.last_place, node.place)
  }]) AS hits
}
RETURN strongest, hits
