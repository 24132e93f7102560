// Returns a page of summaries, newest first, and their total number.
// read
// $namespace STRING: the caller's namespace
// $category STRING: only this category, or null for all
// $offset INTEGER: summaries to skip
// $limit INTEGER: most summaries to return
CALL () {
  MATCH (collection:MemoryCollection {namespace: $namespace, of: 'summaries', state: 'live'})
  RETURN collect(collection.id) AS live
}
CALL (live) {
  UNWIND live AS id
  MATCH (summary:Collected {namespace: $namespace, collection: id})
  WHERE ($category IS NULL OR summary.category = $category)
    AND summary.created_at IS NOT NULL AND summary.id IS NOT NULL
  RETURN count(summary) AS total
}
CALL (live) {
  UNWIND live AS id
  MATCH (summary:Collected {namespace: $namespace, collection: id})
  WHERE ($category IS NULL OR summary.category = $category)
    AND summary.created_at IS NOT NULL AND summary.id IS NOT NULL
  WITH summary ORDER BY summary.created_at DESC, summary.id SKIP $offset LIMIT $limit
  RETURN collect({
    id: summary.id,
    session_id: summary.session_id,
    at: summary.created_at.epochMillis,
    title: summary.title,
    summary: summary.summary,
    category: summary.category,
    memory_count: summary.memory_count,
    quality: summary.quality,
    productivity: summary.productivity,
    impact: summary.impact,
    complexity: summary.complexity,
    technologies: summary.technologies,
    method: summary.method
  }) AS summaries
}
RETURN total, summaries
