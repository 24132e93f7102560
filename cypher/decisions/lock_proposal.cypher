// Locks a proposal until the transaction ends: a second caller who accepts or rejects it waits here.
// write
// $namespace STRING: the caller's namespace
// $id STRING: the proposal's id
MATCH (proposal:Proposal {namespace: $namespace, id: $id})
// Setting a label locks the node. The next statement reads what the lock protects: within this one the planner may
// read a property before the node is locked.
SET proposal:Proposal
