// Returns the last integer id of a namespace, 0 if there is none.
// read
// $namespace STRING: the namespace
OPTIONAL MATCH (sequence:Sequence {namespace: $namespace})
RETURN coalesce(sequence.value, 0) AS value
