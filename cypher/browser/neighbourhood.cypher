// What is around one thing, two steps far.
WITH 'default' AS namespace, 'Neo4j' AS name
MATCH (start:Entity {namespace: namespace, name: name})
MATCH around = (start) (()--(:Entity|Decision)){1,2} ()
RETURN around
LIMIT 150
