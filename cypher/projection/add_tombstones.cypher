// Adds a tombstone for each point whose record does not exist, so that the projector removes the point.
// write
// $records LIST<MAP>: namespace, kind and key
UNWIND $records AS record
MERGE (:Tombstone {namespace: record.namespace, kind: record.kind, key: record.key})
