// Returns what a writer has to know of entries that it replaces or changes; an unknown id has no row.
// read
// $namespace STRING: the caller's namespace
// $ids LIST<STRING>: ids of the entries
UNWIND $ids AS id
MATCH (entry:Entry {namespace: $namespace, id: id})
RETURN
  entry.id AS id,
  entry.node_id AS node_id,
  entry.title AS title,
  entry.body AS body,
  entry.type AS type,
  entry.project AS project,
  entry.session_id AS session_id,
  entry.metadata AS metadata,
  entry.created_at.epochMillis AS created_at,
  entry.status AS status,
  coalesce(entry.expires_at <= datetime(), false) AS expired,
  entry.hash IS NOT NULL AS is_document,
  coalesce(entry.text_revision, 1) AS revision,
  head([(entry)<-[:SUPERSEDES]-(successor:Entry) | successor.id]) AS superseded_by
