// Ends an import whose records were removed; the sequence is removed too, unless somebody took ids since.
// write
// $namespace STRING: the namespace
// $run STRING: the run that filled it
// $value INTEGER: the last id of the backup
MATCH (import:ArchiveImport {namespace: $namespace, run: $run})
DELETE import
WITH count(*) AS ended
MATCH (sequence:Sequence {namespace: $namespace})
WHERE coalesce(sequence.value, 0) IN [0, $value]
DELETE sequence
