// Locks a proposal until the transaction ends: of two who decide about it at once, the second one waits here.
// write
// $namespace STRING: the caller's namespace
// $id STRING: the proposal's id
MATCH (proposal:Proposal {namespace: $namespace, id: $id})
// Setting a label takes the node's lock. What the lock protects is read by the next statement: within this one the
// planner may read a property before the lock is held.
SET proposal:Proposal
