// Removes tombstones whose points were removed from Qdrant, except where a record of the same key was projected since.
// write
// $records LIST<MAP>: element, and the round that was read with the tombstone
UNWIND $records AS record
MATCH (tombstone:Tombstone)
WHERE elementId(tombstone) = record.element
// Locks the tombstone before its round is read, so this waits for a projector that raises it.
SET tombstone.locked = true
WITH tombstone, record
WHERE coalesce(tombstone.round, 0) = record.round
DELETE tombstone
