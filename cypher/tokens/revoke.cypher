// Deletes a principal's token and returns its namespace, if there was a token.
// write
// $name STRING: the principal's name
// $change MAP<ANY>: who does what, for the audit trail
MATCH (token:Token {name: $name})
WITH token, token.namespace AS namespace
DETACH DELETE token
MERGE (who:Principal {namespace: namespace, name: $change.by})
CREATE (who)-[:DID]->(change:Change $change)
// The token is deleted, so the change stores the name.
SET change.namespace = namespace, change.target = $name
RETURN namespace
