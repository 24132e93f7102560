// Removes records that Qdrant now has from the queue; queues those again that were changed or deleted meanwhile.
// write
// $records LIST<MAP>: element, namespace, kind, key, and the revision that Qdrant now has
UNWIND $records AS record
OPTIONAL MATCH (n)
WHERE elementId(n) = record.element AND n.namespace = record.namespace AND toStringOrNull(n.id) = record.key
FOREACH (gone IN CASE WHEN n IS NULL THEN [record] ELSE [] END |
  MERGE (:Tombstone {namespace: gone.namespace, kind: gone.kind, key: gone.key})
)
WITH n, record
WHERE n IS NOT NULL
// A projector may be processing an older deletion of the same key; its tombstone then stays for another round.
CALL (record) {
  MATCH (tombstone:Tombstone {namespace: record.namespace, kind: record.kind, key: record.key})
  SET tombstone.round = coalesce(tombstone.round, 0) + 1
}
// Removing the label locks the node before the revision is read, so this waits for a writer that changes it.
REMOVE n:Unprojected
// Qdrant now has the vector of an imported record.
REMOVE n.vector
WITH n, record
WHERE coalesce(toIntegerOrNull(n.revision), 0) <> record.revision
// Raised, so that another projector that stored the newer revision before this one does not take it for settled.
SET n:Unprojected, n.revision = coalesce(toIntegerOrNull(n.revision), 0) + 1
