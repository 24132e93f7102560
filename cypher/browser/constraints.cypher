// Constraints.
// The constraints that the database enforces.
SHOW CONSTRAINTS YIELD name, labelsOrTypes, properties, type
RETURN labelsOrTypes[0] AS label, properties, type, name
ORDER BY label, name
