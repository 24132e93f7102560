// Marks a message as linked and its point in Qdrant for deletion, unless it is linked already. Returns its element id.
// write
// $namespace STRING: its namespace
// $id STRING: its id
MATCH (message:Message {namespace: $namespace, id: $id})
WHERE message.scope IS NOT NULL
REMOVE message.scope, message.speaker, message.revision, message:Unprojected
MERGE (:Tombstone {namespace: $namespace, kind: 'message', key: $id})
RETURN elementId(message) AS element
