// Takes a block of integers from a namespace's sequence and returns the last one.
// write
// $namespace STRING: the caller's namespace
// $count INTEGER: how many are taken
MERGE (sequence:Sequence {namespace: $namespace})
SET sequence.value = coalesce(sequence.value, 0) + $count
RETURN sequence.value AS last
