// Returns a page of the items that left working memory, the last archived first.
// read
// $namespace STRING: the caller's namespace
// $since ZONED DATETIME: archived at or after
// $reason STRING: archived for this reason, or null for any
// $importance_min FLOAT: of this importance or more, or null for any
// $limit INTEGER: most rows to return
// $offset INTEGER: rows to skip
MATCH (item:StaleItem)
WHERE item.namespace = $namespace AND item.archived_at >= $since
  // The planner uses the index only if every property of it has a predicate.
  AND item.id IS NOT NULL
  AND ($reason IS NULL OR item.reason = $reason)
  AND ($importance_min IS NULL OR item.importance >= $importance_min)
WITH item
ORDER BY item.namespace DESC, item.archived_at DESC, item.id DESC
SKIP $offset LIMIT $limit
RETURN
  item.id AS id,
  item.content AS original_content,
  item.importance AS importance,
  item.reason AS reason,
  item.archived_at.epochMillis AS archived_at,
  item.item_id AS item_id,
  item.evicted_by AS evicted_by
