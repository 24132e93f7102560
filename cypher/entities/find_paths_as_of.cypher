// Finds the best of the shortest paths that connected two nodes at a time: greatest weight first, then first by name.
// read
// $start STRING: element id of a node
// $end STRING: element id of another node
// $as_of ZONED DATETIME: the time
// $bookkeeping LIST<STRING>: relationship types that are not followed
// $relations LIST<STRING>: relations to follow, or null for all
// $max_depth INTEGER: greatest number of hops of a path
// $scale FLOAT: weights are summed as integers, in units of 1/scale, so that equal sums are equal
// $count INTEGER: greatest number of paths
// $cap INTEGER: of more equally short paths, this many are compared
MATCH (start) WHERE elementId(start) = $start
MATCH (end) WHERE elementId(end) = $end
// No predicate may need the complete path: Neo4j would then enumerate every path.
MATCH path = allShortestPaths((start)-[*..10]-(end))
  WHERE all(edge IN relationships(path) WHERE
    NOT CASE type(edge) WHEN 'FORMER' THEN edge.former_type ELSE type(edge) END IN $bookkeeping
    AND CASE type(edge) WHEN 'FORMER' THEN edge.former_until > $as_of ELSE true END
    AND ($relations IS NULL OR
      coalesce(edge.relation, CASE type(edge) WHEN 'FORMER' THEN edge.former_type ELSE type(edge) END) IN $relations)
    AND coalesce(coalesce(edge.created_at, edge.at, startNode(edge).created_at) <= $as_of, true)
    AND coalesce(startNode(edge).created_at <= $as_of, true) AND coalesce(endNode(edge).created_at <= $as_of, true)
    AND coalesce(startNode(edge).retracted_at > $as_of, NOT startNode(edge):Retracted)
    AND coalesce(endNode(edge).retracted_at > $as_of, NOT endNode(edge):Retracted))
WITH path
LIMIT $cap
CALL (path) {
  UNWIND relationships(path) AS edge
  WITH edge, startNode(edge) AS source, endNode(edge) AS target
  MATCH (source)-[other:FORMER]->(target)
  WHERE other.edge_id = edge.edge_id AND other.former_until > $as_of
    AND (edge.former_until IS NULL OR other.former_until < edge.former_until)
  RETURN count(other) AS earlier
}
// Of the versions of a relation that ended after the time, the first held then.
WITH path
WHERE earlier = 0 AND length(path) <= $max_depth
WITH nodes(path) AS nodes, relationships(path) AS edges
WITH nodes, edges,
  reduce(total = 0, edge IN edges | total + toInteger(round(coalesce(edge.weight, 1.0) * $scale))) AS total,
  [step IN range(0, size(edges) - 1) | [
    coalesce(nodes[step + 1].name, ''),
    coalesce(nodes[step + 1].node_id, nodes[step + 1].id, 0),
    coalesce(edges[step].relation, edges[step].former_type, type(edges[step])),
    startNode(edges[step]) <> nodes[step]
  ]] AS order
ORDER BY total DESC, order
LIMIT $count
RETURN
  total AS weight,
  COLLECT {
    UNWIND nodes AS node
    WITH node, head(COLLECT {
      MATCH (change:Change)-[was:WAS]->(node)
      WHERE change.at > $as_of
      RETURN was ORDER BY change.at LIMIT 1
    }) AS was, CASE WHEN node:Retracted THEN node.retracted_from ELSE labels(node) END AS kinds
    RETURN {
      node_id: coalesce(node.node_id, node.id, 0),
      label: coalesce(
        was.label, node.label, head([kind IN kinds WHERE NOT kind IN ['Entity', 'Unprojected']]), 'Entity'
      ),
      name: coalesce(was.name, node.name, ''),
      status: CASE WHEN NOT any(kind IN kinds WHERE kind IN ['Decision', 'Proposal']) THEN null
        WHEN was IS NOT NULL THEN was.status
        WHEN node.superseded_at > $as_of THEN 'active'
        WHEN node.decided_at > $as_of THEN 'draft'
        ELSE node.status
      END
    }
  } AS nodes,
  [step IN range(0, size(edges) - 1) | {
    relation: coalesce(
      edges[step].relation,
      CASE type(edges[step]) WHEN 'FORMER' THEN edges[step].former_type ELSE type(edges[step]) END
    ),
    weight: coalesce(edges[step].weight, 1.0),
    outgoing: startNode(edges[step]) = nodes[step]
  }] AS edges
ORDER BY weight DESC, order
