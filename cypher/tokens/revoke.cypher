// Takes a principal's token away and returns the namespace that it was for, where there was one.
// write
// $name STRING: the principal's name
// $change MAP<ANY>: who does what, for the audit trail
MATCH (token:Token {name: $name})
WITH token, token.namespace AS namespace
DETACH DELETE token
MERGE (who:Principal {namespace: namespace, name: $change.by})
CREATE (who)-[:DID]->(change:Change $change)
// The token is gone: the name is what is left to tell.
SET change.namespace = namespace, change.target = $name
RETURN namespace
