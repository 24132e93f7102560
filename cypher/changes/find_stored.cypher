// Returns which changes are stored, once the transactions that may have written them have ended; changes nothing.
// write
// $namespace STRING: the caller's namespace
// $ids LIST<STRING>: ids of changes
UNWIND $ids AS id
// The lock of the constraint makes this wait while another transaction may still commit a change with this id.
MERGE (change:Change {namespace: $namespace, id: id})
ON CREATE SET change.absent = true
WITH change, id, coalesce(change.absent, false) AS absent
FOREACH (_ IN CASE WHEN absent THEN [1] ELSE [] END | DELETE change)
RETURN id, NOT absent AS stored
