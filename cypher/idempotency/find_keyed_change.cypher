// Returns the change that carries an idempotency key, with what the call was answered and the records that it changed.
// read
// $namespace STRING: the caller's namespace
// $by STRING: name of the caller
// $name STRING: the tool or route
// $key STRING: the idempotency key
// $since ZONED DATETIME: keys of earlier changes have expired
MATCH (change:Change {namespace: $namespace, by: $by, name: $name, idempotency_key: $key})
RETURN
  change.id AS change,
  change.arguments AS arguments,
  change.answer AS answer,
  change.at.epochMillis AS at,
  change.at < $since AS expired,
  COLLECT {
    // All changes of the call: it may have several.
    MATCH (part:Change {namespace: $namespace, operation: change.operation})-[:CHANGED]->(record)
    RETURN DISTINCT {
      label: coalesce(record.label, head([label IN labels(record) WHERE NOT label IN ['Passage', 'Unprojected']])),
      id: toString(coalesce(record.id, record.name))
    }
    LIMIT 1000
  } AS records
