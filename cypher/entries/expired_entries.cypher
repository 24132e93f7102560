// Returns current entries whose time has passed.
// read
// $limit INTEGER: how many at most
MATCH (entry:Entry)
WHERE entry.expires_at <= datetime()
WITH entry LIMIT $limit
RETURN entry.namespace AS namespace, collect(entry.id) AS ids
