// Returns the passages that a full-text query finds, best first, and how many entries they belong to.
// read
// $query STRING: a Lucene query that requires a scope, and with it the namespace
// $unmatched BOOLEAN: whether those count, too, that are in the scope and have none of the words
// $limit INTEGER: how many are looked at, at most
// $first INTEGER: how many are returned, at most
CALL db.index.fulltext.queryNodes('passage_words', $query, {limit: $limit}) YIELD node, score
WHERE score > 0 OR $unmatched
WITH collect(node) AS found, collect(score) AS scores, count(DISTINCT node.entry) AS entries
// One row, and read of the first alone: a row for each would cost more than the search itself.
WITH found, scores, entries, CASE WHEN size(found) < $first THEN size(found) ELSE $first END AS told
RETURN
  [place IN range(0, told - 1) | [
    found[place].id, found[place].entry, found[place].session_id, found[place].project, found[place].at, scores[place]
  ]] AS hits,
  size(found) AS passages,
  entries
