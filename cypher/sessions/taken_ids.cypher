// Returns those of these ids that are taken: by what counts already, or in one collection.
// read
// $namespace STRING: the caller's namespace
// $of STRING: 'memories' or 'summaries'
// $live BOOLEAN: whether to look at what counts
// $collection STRING: id of a collection to look at in any case, or null
// $ids LIST<STRING>: the ids
MATCH (collection:MemoryCollection {namespace: $namespace, of: $of})
WHERE ($live AND collection.state = 'live') OR collection.id = $collection
UNWIND $ids AS id
MATCH (record:Collected {namespace: $namespace, collection: collection.id, id: id})
RETURN DISTINCT record.id AS id
