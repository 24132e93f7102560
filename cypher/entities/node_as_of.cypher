// Returns the node that a name or id meant at a time, as a step of a path, and its element id.
// read
// $namespace STRING: the caller's namespace
// $name STRING: name of an entity at that time, or id of a record
// $number INTEGER: id of an insight, dialogue or episode, if the name is a number
// $key STRING: comparison key of the name, for other names of entities and for equal ones
// $as_of ZONED DATETIME: the time
CALL () {
  MATCH (node:Entity {namespace: $namespace, name: $name})
  RETURN node, 0 AS rank
  UNION ALL
  MATCH (node:Retracted {namespace: $namespace, name: $name})
  WHERE 'Entity' IN node.retracted_from
  RETURN node, 0 AS rank
  UNION ALL
  MATCH (node:Decision {namespace: $namespace, id: $name})
  RETURN node, 1 AS rank
  UNION ALL
  MATCH (node:Proposal {namespace: $namespace, id: $name})
  RETURN node, 1 AS rank
  UNION ALL
  MATCH (node:Entry {namespace: $namespace, id: $name})
  RETURN node, 1 AS rank
  UNION ALL
  MATCH (node:Message {namespace: $namespace, id: $name})
  RETURN node, 1 AS rank
  UNION ALL
  MATCH (node:Insight {namespace: $namespace, id: $number})
  RETURN node, 1 AS rank
  UNION ALL
  MATCH (node:Dialogue {namespace: $namespace, id: $number})
  RETURN node, 1 AS rank
  UNION ALL
  MATCH (node:Episode {namespace: $namespace, id: $number})
  RETURN node, 1 AS rank
  UNION ALL
  MATCH (live:MemoryCollection {namespace: $namespace, state: 'live'})
  WHERE live.of IN ['memories', 'summaries']
  MATCH (node:Collected {namespace: $namespace, collection: live.id, id: $name})
  RETURN node, 1 AS rank
  UNION ALL
  UNWIND [$name, $number] AS id
  MATCH (node:Retracted {namespace: $namespace, id: id})
  WHERE NOT 'Passage' IN node.retracted_from OR size(node.retracted_from) > 1
  RETURN node, 1 AS rank
  UNION ALL
  MATCH (:Alias {namespace: $namespace, name_key: $key})-[:ALIAS_OF*1..10]->(node)
  RETURN node, 2 AS rank
  UNION ALL
  MATCH (node:Entity {namespace: $namespace, name_key: $key})
  RETURN node, 3 AS rank
}
WITH node, min(rank) AS rank
WHERE coalesce(node.created_at <= $as_of, true) AND (NOT node:Retracted OR node.retracted_at > $as_of)
WITH node, rank, head(COLLECT {
  MATCH (change:Change)-[was:WAS]->(node)
  WHERE change.at > $as_of
  RETURN was ORDER BY change.at LIMIT 1
}) AS was
// An entity that took the name later yields to the one that had it then.
WITH node, was, CASE WHEN rank = 0 AND coalesce(was.name, $name) <> $name THEN 2 ELSE rank END AS rank
ORDER BY rank, node.created_at DESC
WITH rank, collect([node, was]) AS found
ORDER BY rank
LIMIT 1
// With two equal keys the name is ambiguous.
WITH found[0][0] AS node, found[0][1] AS was
WHERE rank < 3 OR size(found) = 1
WITH node, was, CASE WHEN node:Retracted THEN node.retracted_from ELSE labels(node) END AS kinds
RETURN
  elementId(node) AS element,
  CASE WHEN 'Entity' IN kinds THEN coalesce(was.name, node.name) ELSE $name END AS resolved_name,
  coalesce(node.node_id, node.id, 0) AS node_id,
  coalesce(was.label, node.label, head([kind IN kinds WHERE NOT kind IN ['Entity', 'Unprojected']]), 'Entity') AS label,
  coalesce(was.name, node.name, '') AS name,
  CASE WHEN NOT any(kind IN kinds WHERE kind IN ['Decision', 'Proposal']) THEN null
    WHEN was IS NOT NULL THEN was.status
    WHEN node.superseded_at > $as_of THEN 'active'
    WHEN node.decided_at > $as_of THEN 'draft'
    ELSE node.status
  END AS status
