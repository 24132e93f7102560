// Returns entities, decisions and proposals whose name or title resembles given names, the best match first.
// read
// $namespace STRING: the caller's namespace
// $keys LIST<STRING>: comparison keys of the names and of their other spellings
// $query STRING: full-text query for similar words in the namespace, or null
CALL () {
  UNWIND $keys AS key
  MATCH (node:Entity {namespace: $namespace, name_key: key})
  RETURN node, 0.0 AS score
  UNION ALL
  WITH $query AS query
  WHERE query IS NOT NULL
  CALL db.index.fulltext.queryNodes('known_names', query, {limit: 50}) YIELD node, score
  WHERE score > 0 AND node.namespace = $namespace
  RETURN node, score
}
WITH node, max(score) AS score
WHERE node.name IS :: STRING NOT NULL
ORDER BY score DESC, node.name
RETURN
  node.name AS name,
  coalesce(node.label, head([label IN labels(node) WHERE NOT label IN ['Entity', 'Unprojected']]), 'Entity') AS label,
  CASE WHEN node:Decision THEN 'decision' WHEN node:Proposal THEN 'proposal' ELSE 'entity' END AS kind,
  CASE WHEN NOT node:Entity THEN node.id END AS id,
  node.target AS target
