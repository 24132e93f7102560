// What was evicted.
// Items that left working memory, with importance, reason and the item that evicted them; newest first.
WITH 'default' AS namespace
MATCH (stale:StaleItem {namespace: namespace})
OPTIONAL MATCH (stale)-[:EVICTED_BY]->(evictor)
RETURN stale.content AS evicted, stale.importance AS importance, stale.reason AS why,
       coalesce(evictor.content, 'itself: ten critical items were there') AS made_room_for,
       stale.last_accessed AS last_accessed, stale.archived_at AS at
ORDER BY at DESC
LIMIT 50
