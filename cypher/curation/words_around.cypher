// Returns the words of records, and the passages of their sessions that these words are added to.
// read
// $namespace STRING: the caller's namespace
// $records LIST<STRING>: element ids of the records
// $reach INTEGER: how many passages before and after a passage its words are added to
UNWIND $records AS element
MATCH (record) WHERE elementId(record) = element
CALL (record) {
  MATCH (passage:Passage {namespace: $namespace, record: record.node_id}) RETURN passage
  UNION
  MATCH (passage:Retracted {namespace: $namespace, record: record.node_id}) RETURN passage
  UNION
  MATCH (passage:FormerPassage)-[:PASSAGE_OF]->(record) RETURN passage
}
WITH passage.session AS session, min(passage.place) AS first, max(coalesce(passage.last_place, passage.place)) AS last,
  collect(passage.words) AS words, collect(DISTINCT passage.record) AS records
CALL (session, first, last, records) {
  WITH session, first, last, records
  WHERE session IS NOT NULL
  MATCH (near:Passage {namespace: $namespace, session: session})
  WHERE first - $reach <= near.place <= last + $reach AND NOT near.record IN records
  RETURN collect({id: near.id, words: near.words, around: near.around}) AS neighbours
}
CALL (session, records) {
  // A whole is next to the whole after it, however long that is.
  WITH session, records
  WHERE session IS NOT NULL
  MATCH (near:Passage {namespace: $namespace, session: session})
  WHERE near.whole AND near.parts > 1 AND NOT near.record IN records
  RETURN collect({id: near.id, words: near.words, around: near.around}) AS wholes
}
RETURN words, neighbours + wholes AS neighbours
