// Returns the labels of entities, the most frequent first.
// read
// $namespace STRING: the caller's namespace
// $limit INTEGER: greatest number of labels
MATCH (entity:Entity {namespace: $namespace})
WHERE entity.name_key IS NOT NULL
WITH coalesce(
  entity.label, head([label IN labels(entity) WHERE NOT label IN ['Entity', 'Unprojected']]), 'Entity'
) AS label, count(*) AS count
ORDER BY count DESC, label
LIMIT $limit
RETURN label, count
