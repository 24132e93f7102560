// Marks an import as completely stored, and returns whether this run may still do so.
// write
// $namespace STRING: the namespace
// $run STRING: the run that filled it
MATCH (import:ArchiveImport {namespace: $namespace, run: $run})
SET import.state = 'loaded'
RETURN count(import) = 1 AS is_current
