// Returns the kind and the name of records that a search in another family can return today.
// read
// $namespace STRING: the caller's namespace
// $records LIST<INTEGER>: their integer ids
UNWIND $records AS record
MATCH (passage:Passage {namespace: $namespace, record: record})-[:PASSAGE_OF]->(n)
WHERE passage.whole AND (n:Insight OR n:Message OR (
  n:Decision AND n.status = 'active'
  AND coalesce(n.valid_until > datetime.realtime(), true) AND coalesce(n.superseded_from > datetime.realtime(), true)
))
RETURN
  record,
  CASE WHEN n:Decision THEN 'decision' WHEN n:Insight THEN 'insight' ELSE 'message' END AS kind,
  coalesce(n.name, '') AS name
