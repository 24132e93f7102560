// Stores the answer of a call on the change that carries its idempotency key, and forgets expired keys.
// write
// $namespace STRING: the caller's namespace
// $change_id STRING: id of the change
// $answer STRING: the answer
// $since ZONED DATETIME: keys of earlier changes have expired
MATCH (change:Change {namespace: $namespace, id: $change_id})
SET change.answer = $answer, change.answered_at = datetime()
WITH change
CALL () {
  MATCH (old:Change)
  WHERE old.namespace = $namespace AND old.answered_at < $since
  WITH old LIMIT 100
  REMOVE old.idempotency_key, old.arguments, old.answer, old.answered_at
}
