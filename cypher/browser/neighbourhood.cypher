// Around one thing.
// The relations of a thing and the decisions about it; use {1,2} instead of {1,1} for two steps.
WITH 'default' AS namespace, 'Neo4j' AS name
MATCH (start:Entity {namespace: namespace, name: name})
MATCH around = (start) (()--(:Entity|Decision)){1,1} ()
RETURN around
LIMIT 150
