// Locks a message until the transaction ends; a second linker waits here.
// write
// $namespace STRING: its namespace
// $id STRING: its id
MATCH (message:Message {namespace: $namespace, id: $id})
SET message:Message
