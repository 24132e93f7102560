// Orphans.
// Things without any relation, decision or memory.
WITH 'default' AS namespace
MATCH (entity:Entity {namespace: namespace})
WHERE NOT (entity)--(:Entity|Decision|Proposal|Entry|Insight|Episode|Interaction)
RETURN entity
LIMIT 100
