// Returns the given records that exist, with their revision and whether they are queued for projection.
// read
// $records LIST<MAP>: namespace, kind and key
UNWIND $records AS record
CALL (record) {
  MATCH (n:Passage {namespace: record.namespace, id: record.key}) WHERE record.kind = 'passage' RETURN n
}
RETURN
  elementId(n) AS element,
  record.namespace AS namespace,
  record.kind AS kind,
  record.key AS key,
  coalesce(toIntegerOrNull(n.revision), 0) AS revision,
  n:Unprojected AS queued
