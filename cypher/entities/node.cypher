// Returns a node as a step of a path.
// read
// $namespace STRING: the caller's namespace
// $name STRING: name of an entity, or id of a decision
OPTIONAL MATCH (entity:Entity {namespace: $namespace, name: $name})
OPTIONAL MATCH (decision:Decision {namespace: $namespace, id: $name})
WITH coalesce(entity, decision) AS node
WHERE node IS NOT NULL
RETURN
  coalesce(node.node_id, node.id, 0) AS node_id,
  coalesce(node.label, head([label IN labels(node) WHERE NOT label IN ['Entity', 'Unprojected']]), 'Entity') AS label,
  coalesce(node.name, '') AS name,
  CASE WHEN node:Decision THEN node.status END AS status
