// Returns the ids of entries that are too old, and of those that are too many in their project.
// read
// $namespace STRING: the caller's namespace
// $project STRING: the only project to look at, or null
// $before ZONED DATETIME: what was saved before this is too old; null where age does not count
// $most INTEGER: entries that a project may have, the newest first; null where their number does not count
MATCH (entry:Entry {namespace: $namespace})
WHERE entry.id IS NOT NULL AND ($project IS NULL OR entry.project = $project)
WITH entry ORDER BY entry.created_at DESC, entry.node_id DESC
WITH entry.project AS project, collect(entry) AS entries
UNWIND range(0, size(entries) - 1) AS place
WITH entries[place] AS entry, place
// What is null is not collected.
RETURN
  collect(CASE WHEN entry.created_at < $before THEN entry.id END) AS aged,
  collect(CASE WHEN place >= $most THEN entry.id END) AS excess
