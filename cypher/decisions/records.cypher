// Tells which of these ids name a record of the memory, and of which kind; an id that names none has no row.
// read
// $namespace STRING: the caller's namespace
// $ids LIST<STRING>: ids of decisions, entries, messages and other records, integer ids as their digits
UNWIND $ids AS id
WITH id, CASE WHEN toString(toIntegerOrNull(id)) = id THEN toIntegerOrNull(id) END AS number
CALL (id, number) {
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
  MATCH (n:Interaction {namespace: $namespace, id: id}) RETURN n
  UNION ALL
  MATCH (n:Summary {namespace: $namespace, id: id}) RETURN n
  UNION ALL
  MATCH (n:Dialogue {namespace: $namespace, id: number}) RETURN n
  UNION ALL
  MATCH (n:Insight {namespace: $namespace, id: number}) RETURN n
  UNION ALL
  MATCH (n:Episode {namespace: $namespace, id: number}) RETURN n
}
RETURN id, elementId(n) AS element, head([label IN labels(n) WHERE NOT label IN ['Passage', 'Unprojected']]) AS kind
