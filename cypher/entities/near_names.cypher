// Returns names of entities that are like a name, likeliest first.
// read
// $namespace STRING: the caller's namespace
// $query STRING: full-text query for words like the name's, within the namespace
CALL db.index.fulltext.queryNodes('entity_names', $query, {limit: 50}) YIELD node, score
WHERE score > 0 AND node.namespace = $namespace
RETURN node.name AS name
ORDER BY score DESC, name
