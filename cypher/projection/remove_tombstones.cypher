// Removes the tombstones of records whose points were removed from Qdrant.
// write
// $records LIST<MAP>: namespace, kind and key
UNWIND $records AS record
MATCH (tombstone:Tombstone {namespace: record.namespace, kind: record.kind, key: record.key})
DELETE tombstone
