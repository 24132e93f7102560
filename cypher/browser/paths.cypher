// Paths between two.
// The shortest paths between two things, of at most six steps, also through decisions.
WITH 'default' AS namespace, 'local vectors' AS name, 'system of record' AS other
MATCH (start:Entity {namespace: namespace, name: name})
MATCH (end:Entity {namespace: namespace, name: other})
MATCH path = ALL SHORTEST (start) (()--(:Entity|Decision)){1,6} (end)
RETURN path
LIMIT 50
