// Orphans.
// Things without any relation or decision.
WITH 'default' AS namespace
MATCH (entity:Entity {namespace: namespace})
WHERE NOT (entity)--(:Entity|Decision)
RETURN entity
LIMIT 100
