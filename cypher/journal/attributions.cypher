// Returns a page of an agent's source attributions, the last retrieved first.
// read
// $namespace STRING: the caller's namespace
// $agent_id STRING: the agent
// $source_type STRING: only this type, or null for all
// $limit INTEGER: how many at most
// $offset INTEGER: how many are skipped
MATCH (attribution:Attribution {namespace: $namespace, agent_id: $agent_id})
// The order and the conditions name the whole key of the index, so that a page is read from it without sorting.
WHERE attribution.retrieval_timestamp IS NOT NULL AND attribution.node_id IS NOT NULL
  AND ($source_type IS NULL OR attribution.source_type = $source_type)
WITH attribution
ORDER BY attribution.namespace DESC, attribution.agent_id DESC,
         attribution.retrieval_timestamp DESC, attribution.node_id DESC
SKIP $offset LIMIT $limit
RETURN
  attribution.id AS attribution_id,
  attribution.agent_id AS agent_id,
  attribution.source_type AS source_type,
  attribution.source_uri AS source_uri,
  attribution.retrieval_timestamp AS retrieval_timestamp,
  attribution.content_summary AS content_summary,
  attribution.full_content_hash AS full_content_hash
