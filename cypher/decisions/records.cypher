// Returns the records of these ids and their kinds; an unknown id has no row.
// read
// $namespace STRING: the caller's namespace
// $ids LIST<STRING>: ids of decisions, entries, messages and other records, integer ids as their digits
CALL () {
  MATCH (collection:MemoryCollection {namespace: $namespace, state: 'live'})
  WHERE collection.of IN ['memories', 'summaries']
  RETURN collect(collection.id) AS live
}
UNWIND $ids AS id
WITH live, id, CASE WHEN toString(toIntegerOrNull(id)) = id THEN toIntegerOrNull(id) END AS number
CALL (live, id, number) {
  MATCH (n:Decision {namespace: $namespace, id: id}) RETURN n
  UNION ALL
  MATCH (n:Entry {namespace: $namespace, id: id}) RETURN n
  UNION ALL
  MATCH (n:Message {namespace: $namespace, id: id}) RETURN n
  UNION ALL
  MATCH (n:Context {namespace: $namespace, id: id}) RETURN n
  UNION ALL
  MATCH (n:Attribution {namespace: $namespace, id: id}) RETURN n
  UNION ALL
  MATCH (n:Correction {namespace: $namespace, id: id}) RETURN n
  UNION ALL
  MATCH (n:Metric {namespace: $namespace, id: id}) RETURN n
  UNION ALL
  // A memory or a summary of a live collection; what is staged or removed does not count.
  UNWIND live AS collection
  MATCH (n:Collected {namespace: $namespace, collection: collection, id: id}) RETURN n
  UNION ALL
  MATCH (n:Dialogue {namespace: $namespace, id: number}) RETURN n
  UNION ALL
  MATCH (n:Insight {namespace: $namespace, id: number}) RETURN n
  UNION ALL
  MATCH (n:Episode {namespace: $namespace, id: number}) RETURN n
}
RETURN
  id,
  elementId(n) AS element,
  coalesce(n.label, head([label IN labels(n) WHERE NOT label IN ['Passage', 'Unprojected']])) AS kind
