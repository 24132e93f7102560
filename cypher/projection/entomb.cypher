// Queues the deletion of points whose records do not exist.
// write
// $records LIST<MAP>: namespace, kind and key
UNWIND $records AS record
MERGE (:Tombstone {namespace: record.namespace, kind: record.kind, key: record.key})
