// Queues records for projection, whatever Qdrant holds of them.
// write
// $elements LIST<STRING>: element ids of the records
UNWIND $elements AS element
MATCH (n)
WHERE elementId(n) = element
SET n:Unprojected
