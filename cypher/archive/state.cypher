// Returns the import into a namespace that was begun and did not end, if there is one.
// read
// $namespace STRING: the namespace
MATCH (import:ArchiveImport {namespace: $namespace})
RETURN import.content AS content, import.state AS state, import.last_id AS last_id
