// Locks a source until the transaction ends, and creates a new one: of two readers of one document, the second waits.
// write
// $namespace STRING: the caller's namespace
// $uri STRING: where the document is
MERGE (source:Source {namespace: $namespace, uri: $uri})
ON CREATE SET source.kind = 'document', source.first_read_at = datetime()
SET source:Source
