// Returns the namespaces on which reflection is due.
// read
// $before ZONED DATETIME: those where the last complete pass ended before this time
MATCH (sequence:Sequence)
WHERE sequence.namespace > ''
OPTIONAL MATCH (state:Reflection {namespace: sequence.namespace})
WITH sequence.namespace AS namespace, state.finished_at AS finished_at
WHERE finished_at IS NULL OR finished_at < $before
RETURN namespace
ORDER BY namespace
