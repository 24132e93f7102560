// Orphans.
// Things without any relation, decision or memory.
WITH 'default' AS namespace
MATCH (entity:Entity {namespace: namespace})
WHERE NOT (entity)--(:Entity|Decision|Proposal|Entry)
RETURN entity
LIMIT 100
