// Hubs.
// The things with the most connections.
WITH 'default' AS namespace
MATCH (entity:Entity {namespace: namespace})
RETURN entity.name AS name, entity.label AS label, COUNT { (entity)--(:Entity) } AS relations,
       COUNT { (entity)<-[:ABOUT]-(:Decision) } AS decisions
ORDER BY relations + decisions DESC, name
LIMIT 25
