// Walks from the start to the end along the greatest weights, then by name, and returns the best paths.
// read
// $levels LIST<MAP>: for each hop, element id to the greatest weight from there to the end
// $start STRING: element id of the start
// $count INTEGER: greatest number of paths
// $bookkeeping LIST<STRING>: relationship types that are not followed
// $relations LIST<STRING>: relations to follow, or null for all
// $scale FLOAT: weights are summed as integers, in units of 1/scale
MATCH (start) WHERE elementId(start) = $start
// The best paths are among the best $count at each hop, so no more are kept.
WITH reduce(ways = [{nodes: [start], edges: [], order: [], weight: 0}], hop IN range(1, size($levels) - 1) | COLLECT {
  UNWIND ways AS way
  WITH way, way.nodes[-1] AS here
  MATCH (here)-[edge]-(node)
  WHERE NOT type(edge) IN $bookkeeping
    AND ($relations IS NULL OR coalesce(edge.relation, type(edge)) IN $relations)
    AND $levels[hop][elementId(node)] IS NOT NULL
  WITH way, edge, node, startNode(edge) = here AS outgoing,
    way.weight + toInteger(round(coalesce(edge.weight, 1.0) * $scale)) AS weight,
    way.order + [[
      coalesce(node.name, ''), coalesce(node.node_id, node.id, 0),
      coalesce(edge.relation, type(edge)), startNode(edge) <> here
    ]] AS order
  RETURN {nodes: way.nodes + [node], edges: way.edges + [{
    relation: coalesce(edge.relation, type(edge)),
    weight: coalesce(edge.weight, 1.0),
    outgoing: outgoing
  }], order: order, weight: weight}
  ORDER BY weight + $levels[hop][elementId(node)] DESC, order
  LIMIT $count
}) AS ways
UNWIND range(0, size(ways) - 1) AS at
WITH at, ways[at] AS way
WHERE size(way.nodes) = size($levels)
RETURN
  way.weight AS weight,
  [node IN way.nodes | {
    node_id: coalesce(node.node_id, node.id, 0),
    label: coalesce(node.label, head([label IN labels(node) WHERE NOT label IN ['Entity', 'Unprojected']]), 'Entity'),
    name: coalesce(node.name, ''),
    status: CASE
      WHEN node:Decision AND node.status = 'active' AND node.superseded_from <= datetime.realtime() THEN 'superseded'
      WHEN node:Decision AND node.status = 'active' AND node.valid_until <= datetime.realtime() THEN 'expired'
      WHEN node:Decision OR node:Proposal THEN node.status
    END
  }] AS nodes,
  way.edges AS edges
ORDER BY at
