// Things that nothing refers to: no relation, no decision.
WITH 'default' AS namespace
MATCH (entity:Entity {namespace: namespace})
WHERE NOT (entity)--(:Entity|Decision)
RETURN entity
LIMIT 100
