// Returns the number of live memories or summaries.
// read
// $namespace STRING: the caller's namespace
// $of STRING: 'memories' or 'summaries'
MATCH (collection:MemoryCollection {namespace: $namespace, of: $of, state: 'live'})
MATCH (record:Collected {namespace: $namespace, collection: collection.id})
WHERE record.created_at IS NOT NULL AND record.id IS NOT NULL
RETURN count(record) AS total
