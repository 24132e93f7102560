// Continues a namespace's sequence after the ids of a backup.
// write
// $namespace STRING: the namespace
// $value INTEGER: the last id of the backup
MATCH (sequence:Sequence {namespace: $namespace})
SET sequence.value = CASE WHEN coalesce(sequence.value, 0) < $value THEN $value ELSE sequence.value END
