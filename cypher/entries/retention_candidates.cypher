// Returns the ids of entries that are too old, and of those past the greatest number of their project.
// read
// $namespace STRING: the caller's namespace
// $project STRING: the only project to check, or null
// $before ZONED DATETIME: entries saved earlier are too old; null without a rule of age
// $most INTEGER: greatest number of entries of a project, newest first; null without this rule
MATCH (entry:Entry {namespace: $namespace})
WHERE entry.id IS NOT NULL AND ($project IS NULL OR entry.project = $project)
WITH entry ORDER BY entry.created_at DESC, entry.node_id DESC
WITH entry.project AS project, collect(entry) AS entries
UNWIND range(0, size(entries) - 1) AS position
WITH entries[position] AS entry, position
// collect ignores null.
RETURN
  collect(CASE WHEN entry.created_at < $before THEN entry.id END) AS aged,
  collect(CASE WHEN position >= $most THEN entry.id END) AS excess
