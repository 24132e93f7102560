// Returns the items of a namespace's working memory, the last accessed first.
// read
// $namespace STRING: the caller's namespace
MATCH (:WorkingMemory {namespace: $namespace})<-[:IN]-(item:WorkingItem)
RETURN
  item.id AS id,
  item.content AS content,
  item.importance AS importance,
  item.last_accessed.epochMillis AS last_accessed,
  item.created_at.epochMillis AS created_at
ORDER BY item.last_accessed DESC, item.id DESC
