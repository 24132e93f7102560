// Locks the changes of an operation until the transaction ends: of two callers who undo it, the second one waits.
// write
// $namespace STRING: the caller's namespace
// $change_id STRING: id of one of the changes
MATCH (asked:Change {namespace: $namespace, id: $change_id})
CALL (asked) {
  MATCH (change:Change {namespace: $namespace, operation: asked.operation})
  WITH change ORDER BY change.id
  SET change:Change
}
RETURN asked.id AS id, asked.operation IS NOT NULL AS undoable
