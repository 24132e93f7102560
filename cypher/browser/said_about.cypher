// Said about a thing.
// The newest memories that mention a thing, and what else they mention.
WITH 'default' AS namespace, 'Neo4j' AS name
MATCH (entry:Entry)-[:MENTIONS]->(:Entity {namespace: namespace, name: name})
WITH entry ORDER BY entry.created_at DESC LIMIT 50
MATCH said = (entry)-[:MENTIONS]->(:Entity)
RETURN said
