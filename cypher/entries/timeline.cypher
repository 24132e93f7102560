// Returns an entry among those saved before and after it in its project, oldest first.
// read
// $namespace STRING: the caller's namespace
// $anchor_id STRING: the entry's id
// $before INTEGER: how many from before, at most
// $after INTEGER: how many from after, at most
MATCH (anchor:Entry {namespace: $namespace, id: $anchor_id})
CALL (anchor) {
  MATCH (entry:Entry)
  WHERE entry.namespace = $namespace AND entry.project = anchor.project AND entry.created_at <= anchor.created_at
    AND (entry.created_at < anchor.created_at OR entry.node_id < anchor.node_id)
  WITH entry ORDER BY entry.created_at DESC, entry.node_id DESC LIMIT $before
  RETURN collect(entry) AS earlier
}
CALL (anchor) {
  MATCH (entry:Entry)
  WHERE entry.namespace = $namespace AND entry.project = anchor.project AND entry.created_at >= anchor.created_at
    AND (entry.created_at > anchor.created_at OR entry.node_id > anchor.node_id)
  WITH entry ORDER BY entry.created_at, entry.node_id LIMIT $after
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
  entry.status AS status
