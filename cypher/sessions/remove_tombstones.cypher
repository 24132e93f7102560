// Removes the tombstones of passages that exist again.
// write
// $namespace STRING: the caller's namespace
// $keys LIST<STRING>: keys of passages
UNWIND $keys AS key
MATCH (tombstone:Tombstone {namespace: $namespace, kind: 'passage', key: key})
DELETE tombstone
