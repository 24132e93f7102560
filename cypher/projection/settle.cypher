// Takes what Qdrant holds now out of the queue, and queues again what changed or went away while it was embedded.
// write
// $records LIST<MAP>: element, namespace, kind, key, and the revision that Qdrant holds now
UNWIND $records AS record
OPTIONAL MATCH (n)
WHERE elementId(n) = record.element AND n.namespace = record.namespace AND toStringOrNull(n.id) = record.key
FOREACH (gone IN CASE WHEN n IS NULL THEN [record] ELSE [] END |
  MERGE (:Tombstone {namespace: gone.namespace, kind: gone.kind, key: gone.key})
)
WITH n, record
WHERE n IS NOT NULL
// Removing the label takes the node's lock before the revision is read: a writer who is about to raise it is waited for.
REMOVE n:Unprojected
// What it brought along, Qdrant holds from now on.
REMOVE n.vector
WITH n, record
WHERE coalesce(toIntegerOrNull(n.revision), 0) <> record.revision
SET n:Unprojected
