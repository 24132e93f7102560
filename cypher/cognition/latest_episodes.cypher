// Returns a page of episodes, newest first.
// read
// $namespace STRING: the caller's namespace
// $since ZONED DATETIME: stored at or after
// $reward_min FLOAT: of this reward or more, or null for any
// $limit INTEGER: most rows to return
// $offset INTEGER: rows to skip
MATCH (episode:Episode {namespace: $namespace})
// The planner uses the index only if every property of it has a predicate.
WHERE episode.id IS NOT NULL AND episode.created_at >= $since
  AND ($reward_min IS NULL OR episode.reward >= $reward_min)
WITH episode
ORDER BY episode.created_at DESC, episode.id DESC
SKIP $offset LIMIT $limit
RETURN
  episode.id AS id,
  episode.query AS query,
  episode.reward AS reward,
  episode.reflection AS reflection,
  episode.created_at.epochMillis AS created_at
