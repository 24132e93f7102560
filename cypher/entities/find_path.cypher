// Finds the best of the shortest paths between two nodes: greatest weight first, then first by name.
// read
// $namespace STRING: the caller's namespace
// $start STRING: name of an entity
// $start_element STRING: element id of the node, if no entity has the name; else null
// $end STRING: name of another entity
// $end_element STRING: as $start_element
// $bookkeeping LIST<STRING>: relationship types that are not followed
// $relations LIST<STRING>: relations to follow, or null for all
// $max_depth INTEGER: greatest number of hops of a path
// $scale FLOAT: weights are summed as integers, in units of 1/scale, so that equal sums are equal
// $cap INTEGER: at this number of equally short paths none is weighed, and `capped` is true: the caller goes by levels
OPTIONAL MATCH (first:Entity {namespace: $namespace, name: $start})
OPTIONAL MATCH (one)
  WHERE elementId(one) = $start_element
OPTIONAL MATCH (last:Entity {namespace: $namespace, name: $end})
OPTIONAL MATCH (other)
  WHERE elementId(other) = $end_element
WITH coalesce(first, one) AS start, coalesce(last, other) AS end
// No predicate may need the complete path: Neo4j would then enumerate every path.
OPTIONAL MATCH path = allShortestPaths((start)-[*..10]-(end))
  WHERE none(edge IN relationships(path) WHERE type(edge) IN $bookkeeping
    OR NOT ($relations IS NULL OR coalesce(edge.relation, type(edge)) IN $relations))
WITH start, end, path
LIMIT $cap
WITH start, end, [path IN collect(path) WHERE length(path) <= $max_depth] AS paths
CALL (paths) {
  UNWIND CASE WHEN size(paths) < $cap THEN paths ELSE [] END AS path
  WITH path, reduce(total = 0, edge IN relationships(path)
    | total + toInteger(round(coalesce(edge.weight, 1.0) * $scale))) AS total
  WITH total, collect(path) AS heaviest
  ORDER BY total DESC
  LIMIT 1
  // Sorting completely is expensive: only paths whose first step is the first by name are sorted so.
  UNWIND heaviest AS path
  WITH total, coalesce(nodes(path)[1].name, '') AS name, collect(path) AS foremost
  ORDER BY name
  LIMIT 1
  UNWIND foremost AS path
  WITH total, nodes(path) AS nodes, relationships(path) AS edges
  WITH total, nodes, edges, [step IN range(0, size(edges) - 1) | [
    coalesce(nodes[step + 1].name, ''),
    coalesce(nodes[step + 1].node_id, nodes[step + 1].id, 0),
    coalesce(edges[step].relation, type(edges[step])),
    startNode(edges[step]) <> nodes[step]
  ]] AS order
  ORDER BY order
  LIMIT 1
  RETURN collect({
    weight: total,
    nodes: [node IN nodes | {
      node_id: coalesce(node.node_id, node.id, 0),
      label: coalesce(node.label, head([label IN labels(node) WHERE NOT label IN ['Entity', 'Unprojected']]), 'Entity'),
      name: coalesce(node.name, ''),
      status: CASE
        WHEN node:Decision AND node.status = 'active' AND node.superseded_from <= datetime.realtime() THEN 'superseded'
        WHEN node:Decision AND node.status = 'active' AND node.valid_until <= datetime.realtime() THEN 'expired'
        WHEN node:Decision OR node:Proposal THEN node.status
      END
    }],
    edges: [step IN range(0, size(edges) - 1) | {
      relation: coalesce(edges[step].relation, type(edges[step])),
      weight: coalesce(edges[step].weight, 1.0),
      outgoing: startNode(edges[step]) = nodes[step]
    }]
  }) AS best
}
RETURN elementId(start) AS start, elementId(end) AS end,
  head(best) AS path, size(paths) = $cap AS capped, length(head(paths)) AS length
