// Says that Qdrant is to hold again what it was to forget under these keys.
// write
// $namespace STRING: the caller's namespace
// $keys LIST<STRING>: keys of passages
UNWIND $keys AS key
MATCH (tombstone:Tombstone {namespace: $namespace, kind: 'passage', key: key})
DELETE tombstone
