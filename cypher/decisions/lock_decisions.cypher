// Locks decisions until the transaction ends: a second caller who replaces one of them waits here.
// write
// $namespace STRING: the caller's namespace
// $ids LIST<STRING>: their ids
MATCH (decision:Decision {namespace: $namespace})
WHERE decision.id IN $ids
WITH decision ORDER BY decision.id
// Setting a label locks the node. The next statement reads what the lock protects: within this one the planner may
// read a property before the node is locked.
SET decision:Decision
