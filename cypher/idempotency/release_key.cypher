// Removes an expired idempotency key from its change, so that the key can be used again.
// write
// $namespace STRING: the caller's namespace
// $change_id STRING: id of the change
MATCH (change:Change {namespace: $namespace, id: $change_id})
REMOVE change.idempotency_key, change.arguments, change.answer, change.answered_at
