// Says that all of an archive is in the namespace, and returns whether this run may still say so.
// write
// $namespace STRING: the namespace
// $run STRING: who filled it
MATCH (import:ArchiveImport {namespace: $namespace, run: $run})
SET import.state = 'loaded'
RETURN count(import) AS said
