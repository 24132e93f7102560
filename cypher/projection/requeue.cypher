// Queues records for projection, whether Qdrant has them or not.
// write
// $elements LIST<STRING>: element ids of the records
UNWIND $elements AS element
MATCH (n)
WHERE elementId(n) = element
// The revision is raised: a projector that stored the record before, and settles it later, leaves it in the queue.
SET n:Unprojected, n.revision = coalesce(toIntegerOrNull(n.revision), 0) + 1
