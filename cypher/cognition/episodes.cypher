// Returns the episodes with these ids that exist and pass the filters.
// read
// $namespace STRING: the caller's namespace
// $ids LIST<INTEGER>: ids of episodes
// $since ZONED DATETIME: stored at or after
// $reward_min FLOAT: of this reward or more, or null for any
UNWIND $ids AS id
MATCH (episode:Episode {namespace: $namespace, id: id})
WHERE episode.created_at >= $since AND ($reward_min IS NULL OR episode.reward >= $reward_min)
RETURN
  episode.id AS id,
  episode.query AS query,
  episode.reward AS reward,
  episode.reflection AS reflection,
  episode.created_at.epochMillis AS created_at
