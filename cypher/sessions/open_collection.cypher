// Creates a collection, unless there is one with this id.
// write
// $namespace STRING: the caller's namespace
// $id STRING: its id
// $of STRING: its content, 'memories' or 'summaries'
// $state STRING: 'live', or 'staged' while an import fills it
MERGE (collection:MemoryCollection {namespace: $namespace, id: $id})
ON CREATE SET
  collection.name = $of, collection.of = $of, collection.state = $state,
  collection.created_at = datetime(), collection.touched_at = datetime()
