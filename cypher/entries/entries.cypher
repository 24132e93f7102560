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
  CASE WHEN entry.status = 'active' AND entry.expires_at <= datetime() THEN 'expired' ELSE entry.status END AS status,
  entry.valid_until.epochMillis AS valid_until,
  head([(entry)<-[:SUPERSEDES]-(successor:Entry) | successor.id]) AS superseded_by,
  head(COLLECT {
    MATCH (correction:Correction)-[:CORRECTS]->(entry)
    RETURN {
      correction_id: correction.id,
      text: left(
        coalesce(correction.reason + ' ', '') + coalesce(correction.corrected_value, correction.correction_type), 200
      )
    }
    ORDER BY correction.created_at DESC, correction.node_id DESC
    LIMIT 1
  }) AS corrected_by
