// Locks a message until the transaction ends: of two who connect it, the second waits.
// write
// $namespace STRING: its namespace
// $id STRING: its id
MATCH (message:Message {namespace: $namespace, id: $id})
SET message:Message
