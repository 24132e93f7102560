// Returns what left working memory, the last archived first.
// read
// $namespace STRING: the caller's namespace
// $since ZONED DATETIME: archived at or after
// $reason STRING: archived for this reason, or null for any
// $importance_min FLOAT: of this importance or more, or null for any
// $limit INTEGER: how many at most
MATCH (item:StaleItem)
WHERE item.namespace = $namespace AND item.archived_at >= $since
  // The index is taken only where each of its properties is asked for.
  AND item.id IS NOT NULL
  AND ($reason IS NULL OR item.reason = $reason)
  AND ($importance_min IS NULL OR item.importance >= $importance_min)
WITH item
ORDER BY item.namespace DESC, item.archived_at DESC, item.id DESC
LIMIT $limit
RETURN
  item.id AS id,
  item.content AS original_content,
  item.importance AS importance,
  item.reason AS reason,
  item.archived_at.epochMillis AS archived_at,
  item.item_id AS item_id,
  item.evicted_by AS evicted_by
