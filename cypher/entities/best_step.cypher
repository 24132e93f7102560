// Returns the step from a node that keeps to the greatest weight, the first by name where several do.
// read
// $here STRING: element id of the node to step from
// $weight INTEGER: greatest weight from there to the end
// $level MAP<INTEGER>: element id to the greatest weight from there to the end, of the nodes one hop nearer to the end
// $bookkeeping LIST<STRING>: relationship types that are not travelled
// $relations LIST<STRING>: relations to follow, or null for all
// $scale FLOAT: weights are summed as integers, in units of 1/scale
MATCH (here) WHERE elementId(here) = $here
MATCH (here)-[edge]-(node)
WHERE NOT type(edge) IN $bookkeeping
  AND ($relations IS NULL OR coalesce(edge.relation, type(edge)) IN $relations)
  AND $level[elementId(node)] + toInteger(round(coalesce(edge.weight, 1.0) * $scale)) = $weight
WITH here, edge, node, {
  relation: coalesce(edge.relation, type(edge)),
  weight: coalesce(edge.weight, 1.0),
  outgoing: startNode(edge) = here
} AS hop
ORDER BY coalesce(node.name, ''), coalesce(node.node_id, node.id, 0), hop.relation, NOT hop.outgoing
LIMIT 1
RETURN elementId(node) AS id, hop AS edge, [each IN [here, node] | {
  node_id: coalesce(each.node_id, each.id, 0),
  label: coalesce(each.label, head([label IN labels(each) WHERE NOT label IN ['Entity', 'Unprojected']]), 'Entity'),
  name: coalesce(each.name, ''),
  status: CASE WHEN each:Decision THEN each.status END
}] AS nodes
