// Marks decision records in the ledger as completely written.
// write
// $namespace STRING: the caller's namespace
// $ids LIST<STRING>: ids of the decisions
UNWIND $ids AS id
MATCH (:Decision {namespace: $namespace, id: id})-[:FROM]->(source:Source {kind: 'decision'})
SET source.state = 'done'
