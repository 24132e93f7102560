// Returns the records and entities that these ids or names mean, also retracted ones, and who wrote each.
// read
// $namespace STRING: the caller's namespace
// $ids LIST<STRING>: ids of records, integer ids as text, or names of entities
CALL () {
  MATCH (collection:MemoryCollection {namespace: $namespace, state: 'live'})
  WHERE collection.of IN ['memories', 'summaries']
  RETURN collect(collection.id) AS live
}
UNWIND $ids AS asked
WITH live, asked, CASE WHEN toString(toIntegerOrNull(asked)) = asked THEN toIntegerOrNull(asked) END AS number
CALL (live, asked, number) {
  MATCH (n:Entity {namespace: $namespace, name: asked}) RETURN n
  UNION
  MATCH (n:Entity {namespace: $namespace, node_id: number}) RETURN n
  UNION
  MATCH (n:Decision {namespace: $namespace, id: asked}) RETURN n
  UNION
  MATCH (n:Proposal {namespace: $namespace, id: asked}) RETURN n
  UNION
  MATCH (n:Entry {namespace: $namespace, id: asked}) RETURN n
  UNION
  MATCH (n:Message {namespace: $namespace, id: asked}) RETURN n
  UNION
  MATCH (n:Context {namespace: $namespace, id: asked}) RETURN n
  UNION
  MATCH (n:Reference {namespace: $namespace, id: asked}) RETURN n
  UNION
  MATCH (n:Attribution {namespace: $namespace, id: asked}) RETURN n
  UNION
  MATCH (n:Correction {namespace: $namespace, id: asked}) RETURN n
  UNION
  MATCH (n:Metric {namespace: $namespace, id: asked}) RETURN n
  UNION
  UNWIND live AS collection
  MATCH (n:Collected {namespace: $namespace, collection: collection, id: asked}) RETURN n
  UNION
  MATCH (n:Dialogue {namespace: $namespace, id: number}) RETURN n
  UNION
  MATCH (n:Insight {namespace: $namespace, id: number}) RETURN n
  UNION
  MATCH (n:Episode {namespace: $namespace, id: number}) RETURN n
  UNION
  MATCH (n:WorkingItem {namespace: $namespace, id: number}) RETURN n
  UNION
  MATCH (n:StaleItem {namespace: $namespace, id: number}) RETURN n
  UNION
  MATCH (n:Retracted {namespace: $namespace, id: asked}) WHERE NOT 'Passage' IN n.retracted_from OR n.node_id IS NOT NULL
  RETURN n
  UNION
  MATCH (n:Retracted {namespace: $namespace, id: number}) RETURN n
  UNION
  MATCH (n:Retracted {namespace: $namespace, name: asked}) WHERE 'Entity' IN n.retracted_from RETURN n
}
WITH asked, n, coalesce(n.retracted_from, labels(n)) AS stored
RETURN
  asked,
  elementId(n) AS element,
  head([label IN stored WHERE NOT label IN ['Passage', 'Unprojected', 'Reindex', 'Unlinked', 'Collected']]) AS label,
  'Entity' IN stored AS is_entity,
  toString(coalesce(n.id, n.node_id)) AS id,
  coalesce(n.name, '') AS name,
  n:Retracted AS retracted,
  coalesce(
    n.origin,
    head(COLLECT { MATCH (n)<-[:CHANGED {created: true}]-(change:Change) WHERE NOT n:Entity RETURN change.kind LIMIT 1 }),
    head(COLLECT {
      MATCH (change:Change {namespace: $namespace, operation: n.change_operation}) RETURN change.kind LIMIT 1
    }),
    'agent'
  ) AS origin,
  CASE WHEN n:Decision THEN n.target END AS target,
  coalesce(n:Decision AND n.active_target IS NOT NULL, false) AS in_force,
  CASE WHEN n:Entity THEN head(COLLECT {
    MATCH (decision:Decision {namespace: $namespace, active_target: n.name_key}) RETURN decision.id LIMIT 1
  }) END AS target_of,
  // What it replaced, and the change that did: undoing that one puts it back in force.
  CASE WHEN n:Decision THEN COLLECT { MATCH (n)-[:SUPERSEDES]->(old:Decision) RETURN old.id ORDER BY old.id LIMIT 5 } END
    AS replaced,
  CASE WHEN n:Decision THEN head(COLLECT {
    MATCH (n)<-[:CHANGED {created: true}]-(change:Change) RETURN change.id ORDER BY change.at LIMIT 1
  }) END AS recorded_in
