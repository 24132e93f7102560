// Locks decisions until the transaction ends: of two callers who replace the same one, the second one waits here.
// write
// $namespace STRING: the caller's namespace
// $ids LIST<STRING>: their ids
MATCH (decision:Decision {namespace: $namespace})
WHERE decision.id IN $ids
WITH decision ORDER BY decision.id
// Setting a label takes the node's lock. What the lock protects is read by the next statement: within this one the
// planner may read a property before the lock is held.
SET decision:Decision
