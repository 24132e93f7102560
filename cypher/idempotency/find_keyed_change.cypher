// Returns the change that carries an idempotency key, with what the call was answered and the records that it changed.
// read
// $namespace STRING: the caller's namespace
// $by STRING: name of the caller
// $operation STRING: the tool or route
// $key STRING: the idempotency key
// $since ZONED DATETIME: keys of earlier changes have expired
MATCH (change:Change {namespace: $namespace, by: $by, name: $operation, idempotency_key: $key})
RETURN
  change.id AS change,
  change.arguments AS arguments,
  change.answer AS answer,
  change.at.epochMillis AS at,
  change.at < $since AS expired,
  [(change)-[:CHANGED]->(record) | {
    label: coalesce(record.label, head([label IN labels(record) WHERE NOT label IN ['Passage', 'Unprojected', 'Collected']])),
    id: toString(coalesce(record.id, record.name))
  }] AS records
