// Returns targets in force that are similar to a text, most similar first.
// read
// $namespace STRING: the caller's namespace
// $query STRING: full-text query for words similar to the text's, within the namespace
// $now ZONED DATETIME: the current time
CALL db.index.fulltext.queryNodes('targets_in_force', $query, {limit: 50}) YIELD node, score
WHERE score > 0 AND node.namespace = $namespace AND node.target IS NOT NULL
  AND coalesce(node.valid_until > $now, true)
RETURN node.target AS target
ORDER BY score DESC, target
