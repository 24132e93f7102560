// Queues records for projection, whether Qdrant has them or not.
// write
// $elements LIST<STRING>: element ids of the records
UNWIND $elements AS element
MATCH (n)
WHERE elementId(n) = element
SET n:Unprojected
