// Returns the insights that describe or mention an entity of one of these names, or an entity related to it.
// read
// $namespace STRING: the caller's namespace
// $names LIST<STRING>: comparison keys of the names
// $limit INTEGER: most insights of one entity, newest first, and most related entities
UNWIND $names AS name
MATCH (entity:Entity {namespace: $namespace, name_key: name})
CALL (entity) {
  RETURN entity AS thing, 0 AS distance, 1.0 AS weight
  UNION ALL
  MATCH (entity)-[edge]-(related:Entity)
  WHERE related <> entity
  WITH related, max(coalesce(edge.weight, 1.0)) AS weight
  ORDER BY weight DESC, related.name
  LIMIT $limit
  RETURN related AS thing, 1 AS distance, weight
}
CALL (thing) {
  MATCH (thing)-[:DESCRIBED_BY|MENTIONS]-(insight:Insight)
  WITH DISTINCT insight ORDER BY insight.created_at DESC, insight.id DESC LIMIT $limit
  RETURN collect([insight.id, insight.created_at.epochMillis, insight.fidelity_score]) AS insights
}
UNWIND insights AS insight
RETURN name, insight[0] AS id, insight[1] AS at, insight[2] AS fidelity_score, min([distance, -weight]) AS closeness
ORDER BY closeness, at DESC, id DESC
