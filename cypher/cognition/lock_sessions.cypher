// Locks sessions until the transaction ends: nothing is said in them meanwhile.
// write
// $namespace STRING: the caller's namespace
// $session_ids LIST<STRING>: their ids, in one order everywhere, so that two writers do not wait for each other
UNWIND $session_ids AS id
MATCH (session:Session {namespace: $namespace, id: id})
SET session:Session
