// Returns passages with their entries for a page of hits of the past: current, replaced and retracted ones.
// read
// $namespace STRING: the caller's namespace
// $ids LIST<STRING>: ids of the passages
// $as_of ZONED DATETIME: the time; title and text are those of then where the audit trail has them
UNWIND $ids AS id
CALL (id) {
  MATCH (passage:Passage {namespace: $namespace, id: id})
  RETURN passage
  UNION
  MATCH (passage:FormerPassage {namespace: $namespace, id: id})
  RETURN passage
  UNION
  MATCH (passage:Retracted {namespace: $namespace, id: id})
  RETURN passage
}
CALL (passage) {
  MATCH (entry:Entry {namespace: $namespace, node_id: passage.record})
  RETURN entry
  UNION
  MATCH (entry:Retracted {namespace: $namespace, node_id: passage.record})
  RETURN entry
}
WITH passage, entry, head(COLLECT {
  MATCH (change:Change)-[was:WAS]->(entry)
  WHERE change.at > $as_of
  RETURN was ORDER BY change.at LIMIT 1
}) AS was
RETURN
  passage.id AS passage,
  entry.id AS id,
  coalesce(was.title, entry.title) AS title,
  coalesce(was.type, entry.type) AS entry_type,
  coalesce(was.project, entry.project) AS project,
  entry.created_at.epochMillis AS created_at,
  entry.session_id AS session_id,
  passage.heading AS section,
  entry.source_ref AS source_ref,
  coalesce(passage.text, was.body, passage.body) AS text,
  coalesce(passage.words, '') AS words,
  coalesce(passage.around, '') AS around,
  null AS corrected_by
