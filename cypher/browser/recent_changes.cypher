// Recent changes.
// New and changed decisions, things and memories, newest first, with who changed them last.
WITH 'default' AS namespace
CALL (namespace) {
  MATCH (decision:Decision {namespace: namespace})
  RETURN decision AS node, coalesce(decision.superseded_at, decision.created_at) AS at,
         'decision, ' + decision.status AS kind
  ORDER BY at DESC LIMIT 50
  UNION
  MATCH (entity:Entity {namespace: namespace})
  RETURN entity AS node, coalesce(entity.updated_at, entity.created_at) AS at,
         'entity, ' + entity.label AS kind
  ORDER BY at DESC LIMIT 50
  UNION
  MATCH (entry:Entry {namespace: namespace})
  RETURN entry AS node, coalesce(entry.superseded_at, entry.created_at) AS at,
         'memory, ' + entry.status AS kind
  ORDER BY at DESC LIMIT 50
}
WITH node, at, kind
ORDER BY at DESC
LIMIT 100
CALL (node) {
  OPTIONAL MATCH (node)<-[:CHANGED]-(change:Change)
  WITH change ORDER BY change.at DESC LIMIT 1
  RETURN change.by AS changed_by
}
RETURN at, kind, node.name AS name, coalesce(changed_by, node.created_by) AS by
ORDER BY at DESC
