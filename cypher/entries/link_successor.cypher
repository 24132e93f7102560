// Connects an entry to the entries that it replaces.
// write
// $namespace STRING: the caller's namespace
// $id STRING: the entry's id
// $ids LIST<STRING>: ids of the entries that it replaces
// $reason STRING: why
// $by STRING: name of the principal who replaced them
MATCH (entry:Entry {namespace: $namespace, id: $id})
UNWIND $ids AS old_id
MATCH (old:Entry {namespace: $namespace, id: old_id})
CREATE (entry)-[:SUPERSEDES {reason: $reason, at: entry.created_at, by: $by}]->(old)
