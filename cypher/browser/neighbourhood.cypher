// Around one thing.
// Its relations and the decisions about it; {1,2} instead of {1,1} looks one step further.
WITH 'default' AS namespace, 'Neo4j' AS name
MATCH (start:Entity {namespace: namespace, name: name})
MATCH around = (start) (()--(:Entity|Decision)){1,1} ()
RETURN around
LIMIT 150
