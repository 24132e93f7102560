// Returns deletions that are queued for projection.
// read
// $limit INTEGER: the greatest number of rows
MATCH (tombstone:Tombstone)
RETURN
  elementId(tombstone) AS element,
  tombstone.namespace AS namespace,
  tombstone.kind AS kind,
  tombstone.key AS key,
  coalesce(tombstone.round, 0) AS round
LIMIT $limit
