// Locks a session until the transaction ends, and creates a new one: of two callers who save into it, the second waits.
// write
// $namespace STRING: the caller's namespace
// $session_id STRING: the session's id
MERGE (session:Session {namespace: $namespace, id: $session_id})
ON CREATE SET session.name = $session_id, session.created_at = datetime()
// Setting a label takes the node's lock. What the lock protects is read by the next statement: within this one the
// planner may read a property before the lock is held.
SET session:Session
