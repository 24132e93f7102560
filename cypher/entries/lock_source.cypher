// Locks a source until the transaction ends, and creates it if it is missing: a second reader waits.
// write
// $namespace STRING: the caller's namespace
// $uri STRING: address of the document
MERGE (source:Source {namespace: $namespace, uri: $uri})
ON CREATE SET source.kind = 'document', source.first_read_at = datetime()
SET source:Source
