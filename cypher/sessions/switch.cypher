// Makes collections count, and those that they replace not count any more.
// write
// $namespace STRING: the caller's namespace
// $live LIST<STRING>: ids of the collections that count from now on
// $replaced LIST<STRING>: what the ones before hold that count no more: 'memories', 'summaries'
// $change MAP<ANY>: who does what, for the audit trail
CALL () {
  MATCH (before:MemoryCollection {namespace: $namespace, state: 'live'})
  WHERE before.of IN $replaced AND NOT before.id IN $live
  SET before.state = 'removed'
}
UNWIND $live AS id
MATCH (collection:MemoryCollection {namespace: $namespace, id: id})
SET collection.state = 'live', collection.created_at = datetime()
WITH collect(collection) AS made
MERGE (who:Principal {namespace: $namespace, name: $change.by})
CREATE (who)-[:DID]->(change:Change $change)
FOREACH (collection IN made | CREATE (change)-[:CHANGED]->(collection))
