// Reserves a block of integers of a namespace's sequence and returns the last one.
// write
// $namespace STRING: the caller's namespace
// $count INTEGER: the size of the block
MERGE (sequence:Sequence {namespace: $namespace})
SET sequence.value = coalesce(sequence.value, 0) + $count
RETURN sequence.value AS last
