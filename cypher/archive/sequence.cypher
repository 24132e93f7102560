// Returns the last integer id that was handed out in a namespace, 0 where none was.
// read
// $namespace STRING: the namespace
OPTIONAL MATCH (sequence:Sequence {namespace: $namespace})
RETURN coalesce(sequence.value, 0) AS value
