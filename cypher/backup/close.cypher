// Ends an import.
// write
// $namespace STRING: the namespace
MATCH (import:ArchiveImport {namespace: $namespace, state: 'loaded'})
DELETE import
