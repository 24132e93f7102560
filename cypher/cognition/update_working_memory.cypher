// Adds an item to a namespace's working memory or refreshes the same one, and evicts one where there is no room.
// write
// $namespace STRING: the caller's namespace
// $id INTEGER: a fresh id, used where the item is created
// $archived_id INTEGER: another one, used by the stale item where one is evicted
// $name STRING: its caption
// $content STRING: its text
// $digest STRING: hash of the content: equal only where the content is equal
// $importance FLOAT: its importance, used where the item is created
// $new_importance FLOAT: importance of a refreshed item, or null to leave it unchanged
// $critical FLOAT: an item above this importance is evicted only where all items are
// $capacity INTEGER: most items that stay
// $by STRING: name of the principal
// $change MAP<ANY>: who does what, for the audit trail
MERGE (memory:WorkingMemory {namespace: $namespace})
ON CREATE SET memory.name = 'working memory', memory.created_at = datetime()
// Setting a label locks the node until the transaction ends: of two writers, the second one waits here. The items and
// the clock are read below, after the lock.
SET memory:WorkingMemory
WITH memory, datetime.realtime() AS now
OPTIONAL MATCH (memory)<-[:IN]-(known:WorkingItem {namespace: $namespace, digest: $digest})
WITH memory, now, head(collect(known)) AS known
FOREACH (item IN CASE WHEN known IS NULL THEN [] ELSE [known] END |
  SET item.last_accessed = now, item.importance = coalesce($new_importance, item.importance)
)
FOREACH (_ IN CASE WHEN known IS NULL THEN [1] ELSE [] END |
  CREATE (:WorkingItem {
    namespace: $namespace,
    id: $id,
    name: $name,
    content: $content,
    digest: $digest,
    importance: $importance,
    last_accessed: now,
    created_at: now,
    created_by: $by
  })-[:IN]->(memory)
)
WITH memory, now, coalesce(known.id, $id) AS added, known IS NOT NULL AS refreshed
CALL (memory) {
  MATCH (memory)<-[:IN]-(item:WorkingItem)
  ORDER BY item.importance > $critical, item.last_accessed, item.id
  WITH collect(item) AS items
  RETURN CASE WHEN size(items) > $capacity THEN head(items) END AS victim
}
WITH memory, now, added, refreshed, victim, victim.id AS evicted
CALL (memory, now, added, victim, evicted) {
  WITH * WHERE victim IS NOT NULL
  MATCH (victim)-[membership:IN]->(memory)
  DELETE membership
  REMOVE victim:WorkingItem
  SET victim:StaleItem, victim.id = $archived_id, victim.item_id = evicted, victim.reason = 'LRU_EVICTION',
    victim.archived_at = now
  CREATE (victim)-[:FROM]->(memory)
  WITH victim, added, evicted
  WHERE added <> evicted
  MATCH (evictor:WorkingItem {namespace: $namespace, id: added})
  CREATE (victim)-[:EVICTED_BY]->(evictor)
  SET victim.evicted_by = added
}
// In a full memory the new item itself may be the one that was evicted.
OPTIONAL MATCH (kept:WorkingItem {namespace: $namespace, id: added})
WITH *, coalesce(kept, victim) AS item
MERGE (who:Principal {namespace: $namespace, name: $change.by})
CREATE (who)-[:DID]->(:Change $change)-[:CHANGED]->(item)
RETURN added, evicted, CASE WHEN evicted IS NOT NULL THEN $archived_id END AS archived, refreshed
