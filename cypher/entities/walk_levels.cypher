// Walks from the start to the end along greatest weights, by name where several steps keep to them.
// read
// $levels LIST<MAP>: from the start to the end, element id to the greatest weight from there to the end
// $start STRING: element id of the start
// $bookkeeping LIST<STRING>: relationship types that are not travelled
// $relations LIST<STRING>: relations to follow, or null for all
// $scale FLOAT: weights are summed as integers, in units of 1/scale
MATCH (start) WHERE elementId(start) = $start
WITH reduce(steps = [{node: start}], hop IN range(1, size($levels) - 1) | steps + COLLECT {
  WITH steps[-1].node AS here
  MATCH (here)-[edge]-(node)
  WHERE NOT type(edge) IN $bookkeeping
    AND ($relations IS NULL OR coalesce(edge.relation, type(edge)) IN $relations)
    AND $levels[hop][elementId(node)] + toInteger(round(coalesce(edge.weight, 1.0) * $scale))
      = $levels[hop - 1][elementId(here)]
  RETURN {node: node, edge: {
    relation: coalesce(edge.relation, type(edge)),
    weight: coalesce(edge.weight, 1.0),
    outgoing: startNode(edge) = here
  }}
  ORDER BY
    coalesce(node.name, ''), coalesce(node.node_id, node.id, 0),
    coalesce(edge.relation, type(edge)), startNode(edge) <> here
  LIMIT 1
}) AS steps
WHERE size(steps) = size($levels)
RETURN
  $levels[0][$start] AS weight,
  [step IN steps | {
    node_id: coalesce(step.node.node_id, step.node.id, 0),
    label: coalesce(
      step.node.label, head([label IN labels(step.node) WHERE NOT label IN ['Entity', 'Unprojected']]), 'Entity'
    ),
    name: coalesce(step.node.name, ''),
    status: CASE WHEN step.node:Decision OR step.node:Proposal THEN step.node.status END
  }] AS nodes,
  [step IN tail(steps) | step.edge] AS edges
