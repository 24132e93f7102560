// Removes retired collections that are empty.
// write
MATCH (collection:MemoryCollection {state: 'removed'})
WHERE NOT EXISTS {
  MATCH (record:Collected {namespace: collection.namespace, collection: collection.id})
  WHERE record.created_at IS NOT NULL AND record.id IS NOT NULL
}
DETACH DELETE collection
