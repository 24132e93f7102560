// Returns complete entries; an unknown id has no row.
// read
// $namespace STRING: the caller's namespace
// $ids LIST<STRING>: the ids
UNWIND $ids AS id
MATCH (entry:Entry {namespace: $namespace, id: id})
RETURN
  entry.id AS id,
  entry.title AS title,
  entry.body AS body,
  entry.type AS entry_type,
  entry.project AS project,
  entry.session_id AS session_id,
  entry.source_ref AS source_ref,
  entry.metadata AS metadata,
  entry.created_at.epochMillis AS created_at,
  entry.status AS status,
  head([(entry)<-[:SUPERSEDES]-(successor:Entry) | successor.id]) AS superseded_by
