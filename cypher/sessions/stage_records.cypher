// Stores records of an import in its staged collection.
// write
// $namespace STRING: the caller's namespace
// $collection STRING: id of the import's collection
// $label STRING: Interaction or Summary
// $records LIST<MAP>: properties of each
MATCH (collection:MemoryCollection {namespace: $namespace, id: $collection})
SET collection.touched_at = datetime(), collection.unlinked = true
WITH collection
UNWIND $records AS record
CREATE (each:Collected:Unlinked:$($label))
SET each = record, each.namespace = $namespace, each.collection = $collection
