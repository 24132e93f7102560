// Recent changes.
// New and changed decisions and things, newest first.
WITH 'default' AS namespace
CALL (namespace) {
  MATCH (decision:Decision {namespace: namespace})
  RETURN decision AS node, coalesce(decision.superseded_at, decision.created_at) AS at,
         'decision, ' + decision.status AS kind, decision.created_by AS by
  ORDER BY at DESC LIMIT 50
  UNION
  MATCH (entity:Entity {namespace: namespace})
  RETURN entity AS node, coalesce(entity.updated_at, entity.created_at) AS at,
         'entity, ' + entity.label AS kind, entity.created_by AS by
  ORDER BY at DESC LIMIT 50
}
RETURN at, kind, node.name AS name, by
ORDER BY at DESC
LIMIT 50
