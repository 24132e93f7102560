// Returns deletions that Qdrant has not carried out yet.
// read
// $limit INTEGER: how many at most
MATCH (tombstone:Tombstone)
RETURN tombstone.namespace AS namespace, tombstone.kind AS kind, tombstone.key AS key
LIMIT $limit
