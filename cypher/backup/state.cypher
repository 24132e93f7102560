// Returns the unfinished import of a namespace, if there is one.
// read
// $namespace STRING: the namespace
MATCH (import:ArchiveImport {namespace: $namespace})
RETURN import.content AS content, import.state AS state, import.last_id AS last_id
