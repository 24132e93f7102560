// Clears the tombstones of records whose points Qdrant no longer holds.
// write
// $records LIST<MAP>: namespace, kind and key
UNWIND $records AS record
MATCH (tombstone:Tombstone {namespace: record.namespace, kind: record.kind, key: record.key})
DELETE tombstone
