// Lets a namespace's sequence go on after the ids that an archive brings.
// write
// $namespace STRING: the namespace
// $value INTEGER: the last id of the archive
MATCH (sequence:Sequence {namespace: $namespace})
SET sequence.value = CASE WHEN coalesce(sequence.value, 0) < $value THEN $value ELSE sequence.value END
