// Returns which of these ids are taken, in live collections or in a given one.
// read
// $namespace STRING: the caller's namespace
// $of STRING: 'memories' or 'summaries'
// $live BOOLEAN: true to look at live collections
// $collection STRING: id of a collection to look at as well, or null
// $ids LIST<STRING>: the ids
MATCH (collection:MemoryCollection {namespace: $namespace, of: $of})
WHERE ($live AND collection.state = 'live') OR collection.id = $collection
UNWIND $ids AS id
MATCH (record:Collected {namespace: $namespace, collection: collection.id, id: id})
RETURN DISTINCT record.id AS id
