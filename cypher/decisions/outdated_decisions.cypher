// Returns decisions and proposals whose passages have to be rebuilt.
// read
// $limit INTEGER: how many at most
CALL () {
  // By the label of the few that wait, and not by all decisions.
  MATCH (n:Reindex) WHERE any(label IN labels(n) WHERE label IN ['Decision', 'Proposal']) RETURN n
  UNION
  // A person who stores one by hand sets the label that every record has until it is indexed.
  MATCH (n:Unprojected) WHERE any(label IN labels(n) WHERE label IN ['Decision', 'Proposal']) RETURN n
}
WITH n
WHERE n.namespace IS :: STRING NOT NULL AND n.id IS :: STRING NOT NULL
RETURN
  elementId(n) AS element,
  n.namespace AS namespace,
  n.id AS id,
  n.node_id AS node_id,
  coalesce(toStringOrNull(n.title), toStringOrNull(n.name), '') AS title,
  coalesce(toStringOrNull(n.target), '') AS target,
  coalesce(toStringOrNull(n.rationale), '') AS rationale,
  coalesce(n.consequences, []) AS consequences,
  coalesce(n.alternatives, []) AS alternatives,
  [position IN range(0, size(coalesce(n.alternatives, [])) - 1) | coalesce(n.alternatives_why_not[position], '')]
    AS alternatives_why_not,
  CASE WHEN n.created_at IS :: ZONED DATETIME NOT NULL THEN n.created_at ELSE datetime({epochSeconds: 0}) END AS at
LIMIT $limit
