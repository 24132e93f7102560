// Removes records of an import whose ids were taken meanwhile, and returns their number.
// write
// $namespace STRING: the caller's namespace
// $collection STRING: id of the import's collection
MATCH (collection:MemoryCollection {namespace: $namespace, id: $collection})
MATCH (other:MemoryCollection {namespace: $namespace, of: collection.of, state: 'live'})
MATCH (staged:Collected {namespace: $namespace, collection: $collection})
WHERE staged.created_at IS NOT NULL AND staged.id IS NOT NULL AND EXISTS {
  MATCH (:Collected {namespace: $namespace, collection: other.id, id: staged.id})
}
DETACH DELETE staged
RETURN count(*) AS dropped
