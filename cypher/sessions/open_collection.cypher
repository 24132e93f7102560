// Makes a collection, unless there is one of that id.
// write
// $namespace STRING: the caller's namespace
// $id STRING: its id
// $of STRING: what it holds, 'memories' or 'summaries'
// $state STRING: 'live', or 'staged' while an import fills it
MERGE (collection:MemoryCollection {namespace: $namespace, id: $id})
ON CREATE SET
  collection.name = $of, collection.of = $of, collection.state = $state,
  collection.created_at = datetime(), collection.touched_at = datetime()
