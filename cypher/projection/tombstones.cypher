// Returns deletions that are queued for projection.
// read
// $limit INTEGER: the greatest number of rows
MATCH (tombstone:Tombstone)
RETURN tombstone.namespace AS namespace, tombstone.kind AS kind, tombstone.key AS key
LIMIT $limit
