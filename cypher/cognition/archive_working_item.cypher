// Archives an item of a namespace's working memory by hand; it stays readable as a stale item.
// write
// $namespace STRING: the caller's namespace
// $id INTEGER: the item's id
// $archived_id INTEGER: a fresh id for the stale item
// $change MAP<ANY>: who does what, for the audit trail
MATCH (memory:WorkingMemory {namespace: $namespace})
// Setting a label locks the node until the transaction ends, as in update_working_memory.
SET memory:WorkingMemory
WITH memory, datetime.realtime() AS now
MATCH (item:WorkingItem {namespace: $namespace, id: $id})-[membership:IN]->(memory)
DELETE membership
REMOVE item:WorkingItem
SET item:StaleItem, item.id = $archived_id, item.item_id = $id, item.reason = 'MANUAL_ARCHIVE', item.archived_at = now
CREATE (item)-[:FROM]->(memory)
MERGE (who:Principal {namespace: $namespace, name: $change.by})
CREATE (who)-[:DID]->(:Change $change)-[:CHANGED]->(item)
RETURN item.id AS archived
