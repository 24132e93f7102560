// Returns an entry among those saved before and after it in its project, oldest first.
// read
// $namespace STRING: the caller's namespace
// $anchor_id STRING: the entry's id
// $before INTEGER: greatest number of earlier entries
// $after INTEGER: greatest number of later entries
MATCH (anchor:Entry {namespace: $namespace, id: $anchor_id})
CALL (anchor) {
  MATCH (entry:Entry)
  WHERE entry.namespace = $namespace AND entry.project = anchor.project
    AND entry.created_at <= anchor.created_at AND entry.node_id IS NOT NULL
    // Neo4j would plan an OR as two searches and sort all of their rows.
    AND CASE WHEN entry.created_at = anchor.created_at THEN entry.node_id < anchor.node_id ELSE true END
    // Former texts of documents are history that a timeline shows; memories that were replaced or expired are not.
    AND (entry.status = 'active' OR entry.hash IS NOT NULL) AND coalesce(entry.expires_at > datetime(), true)
  WITH entry
  // The complete order of the index, so that no more rows than the limit are read.
  ORDER BY entry.namespace DESC, entry.project DESC, entry.created_at DESC, entry.node_id DESC
  LIMIT $before
  RETURN collect(entry) AS earlier
}
CALL (anchor) {
  MATCH (entry:Entry)
  WHERE entry.namespace = $namespace AND entry.project = anchor.project
    AND entry.created_at >= anchor.created_at AND entry.node_id IS NOT NULL
    AND CASE WHEN entry.created_at = anchor.created_at THEN entry.node_id > anchor.node_id ELSE true END
    AND (entry.status = 'active' OR entry.hash IS NOT NULL) AND coalesce(entry.expires_at > datetime(), true)
  WITH entry
  ORDER BY entry.namespace, entry.project, entry.created_at, entry.node_id
  LIMIT $after
  RETURN collect(entry) AS later
}
UNWIND reverse(earlier) + [anchor] + later AS entry
RETURN
  entry.id AS id,
  entry.title AS title,
  entry.type AS entry_type,
  entry.project AS project,
  entry.created_at.epochMillis AS created_at,
  entry.session_id AS session_id,
  entry.source_ref AS source_ref,
  CASE WHEN entry.status = 'active' AND entry.expires_at <= datetime() THEN 'expired' ELSE entry.status END AS status
