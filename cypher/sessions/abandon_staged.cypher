// Gives up collections of imports that have not been heard of for a while: they died before they made anything count.
// write
// $seconds FLOAT: for how long
MATCH (collection:MemoryCollection {state: 'staged'})
WHERE collection.touched_at < datetime() - duration({milliseconds: toInteger($seconds * 1000)})
SET collection.state = 'removed'
