// Ends an import that was taken back; the sequence goes with it, unless somebody has taken ids from it since.
// write
// $namespace STRING: the namespace
// $run STRING: who filled it
// $value INTEGER: the last id of the archive
MATCH (import:ArchiveImport {namespace: $namespace, run: $run})
DELETE import
WITH count(*) AS ended
MATCH (sequence:Sequence {namespace: $namespace})
WHERE coalesce(sequence.value, 0) IN [0, $value]
DELETE sequence
