// Makes collections live and retires those that they replace.
// write
// $namespace STRING: the caller's namespace
// $live LIST<STRING>: ids of the collections to make live
// $replaced LIST<STRING>: the contents whose earlier collections are retired: 'memories', 'summaries'
// $change MAP<ANY>: who does what, for the audit trail
CALL () {
  MATCH (before:MemoryCollection {namespace: $namespace, state: 'live'})
  WHERE before.of IN $replaced AND NOT before.id IN $live
  SET before.state = 'removed'
}
UNWIND $live AS id
MATCH (collection:MemoryCollection {namespace: $namespace, id: id})
SET collection.state = 'live', collection.created_at = datetime()
WITH collect(collection) AS switched
MERGE (who:Principal {namespace: $namespace, name: $change.by})
CREATE (who)-[:DID]->(change:Change $change)
FOREACH (collection IN switched | CREATE (change)-[:CHANGED]->(collection))
