// Retires staged collections that were not written to for a while: their imports died.
// write
// $seconds FLOAT: how long ago the last write was, at least
MATCH (collection:MemoryCollection {state: 'staged'})
WHERE collection.touched_at < datetime() - duration({milliseconds: toInteger($seconds * 1000)})
SET collection.state = 'removed'
