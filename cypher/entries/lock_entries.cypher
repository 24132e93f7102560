// Locks entries until the transaction ends: a second writer of one of them waits.
// write
// $namespace STRING: the caller's namespace
// $ids LIST<STRING>: ids of the entries, in one order everywhere
UNWIND $ids AS id
MATCH (entry:Entry {namespace: $namespace, id: id})
// Setting a label takes the node's lock. What the lock protects is read by the next statement.
SET entry:Entry
