// Locks sessions until the transaction ends, so that no dialogue is added meanwhile.
// write
// $namespace STRING: the caller's namespace
// $session_ids LIST<STRING>: their ids, always sorted, so that two writers never wait for each other
UNWIND $session_ids AS id
MATCH (session:Session {namespace: $namespace, id: id})
SET session:Session
