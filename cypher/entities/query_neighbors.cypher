// Lists what is around a node by distance, one row a neighbour, relation and direction, strongest first.
// read
// $namespace STRING: the caller's namespace
// $name STRING: name of an entity
// $element STRING: element id of a record, where no entity has the name; else null
// $depth INTEGER: most hops, 1 to 5
// $bookkeeping LIST<STRING>: relationship types that are not travelled
// $relation STRING: the one relation to follow on every hop, or null for all
// $direction STRING: 'both', 'outgoing' or 'incoming', on every hop
// $limit INTEGER: most rows whose node is read whole; `total` counts them all
OPTIONAL MATCH (entity:Entity {namespace: $namespace, name: $name})
OPTIONAL MATCH (record)
  WHERE elementId(record) = $element
WITH coalesce(entity, record) AS start
WHERE start IS NOT NULL
WITH start, [start] AS seen0
CALL (start, seen0) {
  WITH start AS near
  MATCH (near)-[edge]-(node)
  WHERE NOT type(edge) IN $bookkeeping
    AND ($relation IS NULL OR coalesce(edge.relation, type(edge)) = $relation)
    AND ($direction = 'both' OR (startNode(edge) = near) = ($direction = 'outgoing'))
    AND NOT node IN seen0
  WITH node, coalesce(edge.relation, type(edge)) AS relation, startNode(edge) = near AS outgoing,
       max([coalesce(edge.weight, 1.0), -coalesce(edge.edge_id, 0)]) AS edge
  ORDER BY edge[0] DESC, node.name, relation, outgoing DESC, node.node_id
  RETURN collect({distance: 1, node: node, relation: relation, outgoing: outgoing, edge: edge}) AS rows1,
         collect(DISTINCT node) AS level1
}
WITH *, seen0 + level1 AS seen1
CALL (level1, seen1) {
  UNWIND CASE WHEN $depth >= 2 THEN level1 ELSE [] END AS near
  MATCH (near)-[edge]-(node)
  WHERE NOT type(edge) IN $bookkeeping
    AND ($relation IS NULL OR coalesce(edge.relation, type(edge)) = $relation)
    AND ($direction = 'both' OR (startNode(edge) = near) = ($direction = 'outgoing'))
    AND NOT node IN seen1
  WITH node, coalesce(edge.relation, type(edge)) AS relation, startNode(edge) = near AS outgoing,
       max([coalesce(edge.weight, 1.0), -coalesce(edge.edge_id, 0)]) AS edge
  ORDER BY edge[0] DESC, node.name, relation, outgoing DESC, node.node_id
  RETURN collect({distance: 2, node: node, relation: relation, outgoing: outgoing, edge: edge}) AS rows2,
         collect(DISTINCT node) AS level2
}
WITH *, seen1 + level2 AS seen2
CALL (level2, seen2) {
  UNWIND CASE WHEN $depth >= 3 THEN level2 ELSE [] END AS near
  MATCH (near)-[edge]-(node)
  WHERE NOT type(edge) IN $bookkeeping
    AND ($relation IS NULL OR coalesce(edge.relation, type(edge)) = $relation)
    AND ($direction = 'both' OR (startNode(edge) = near) = ($direction = 'outgoing'))
    AND NOT node IN seen2
  WITH node, coalesce(edge.relation, type(edge)) AS relation, startNode(edge) = near AS outgoing,
       max([coalesce(edge.weight, 1.0), -coalesce(edge.edge_id, 0)]) AS edge
  ORDER BY edge[0] DESC, node.name, relation, outgoing DESC, node.node_id
  RETURN collect({distance: 3, node: node, relation: relation, outgoing: outgoing, edge: edge}) AS rows3,
         collect(DISTINCT node) AS level3
}
WITH *, seen2 + level3 AS seen3
CALL (level3, seen3) {
  UNWIND CASE WHEN $depth >= 4 THEN level3 ELSE [] END AS near
  MATCH (near)-[edge]-(node)
  WHERE NOT type(edge) IN $bookkeeping
    AND ($relation IS NULL OR coalesce(edge.relation, type(edge)) = $relation)
    AND ($direction = 'both' OR (startNode(edge) = near) = ($direction = 'outgoing'))
    AND NOT node IN seen3
  WITH node, coalesce(edge.relation, type(edge)) AS relation, startNode(edge) = near AS outgoing,
       max([coalesce(edge.weight, 1.0), -coalesce(edge.edge_id, 0)]) AS edge
  ORDER BY edge[0] DESC, node.name, relation, outgoing DESC, node.node_id
  RETURN collect({distance: 4, node: node, relation: relation, outgoing: outgoing, edge: edge}) AS rows4,
         collect(DISTINCT node) AS level4
}
WITH *, seen3 + level4 AS seen4
CALL (level4, seen4) {
  UNWIND CASE WHEN $depth >= 5 THEN level4 ELSE [] END AS near
  MATCH (near)-[edge]-(node)
  WHERE NOT type(edge) IN $bookkeeping
    AND ($relation IS NULL OR coalesce(edge.relation, type(edge)) = $relation)
    AND ($direction = 'both' OR (startNode(edge) = near) = ($direction = 'outgoing'))
    AND NOT node IN seen4
  WITH node, coalesce(edge.relation, type(edge)) AS relation, startNode(edge) = near AS outgoing,
       max([coalesce(edge.weight, 1.0), -coalesce(edge.edge_id, 0)]) AS edge
  ORDER BY edge[0] DESC, node.name, relation, outgoing DESC, node.node_id
  RETURN collect({distance: 5, node: node, relation: relation, outgoing: outgoing, edge: edge}) AS rows5,
         collect(DISTINCT node) AS level5
}
WITH rows1 + rows2 + rows3 + rows4 + rows5 AS rows
CALL (rows) {
  UNWIND rows[..$limit] AS row
  WITH row, row.node AS node
  RETURN collect({
    node_id: coalesce(node.node_id, node.id, 0),
    label: coalesce(node.label, head([label IN labels(node) WHERE NOT label IN ['Entity', 'Unprojected']]), 'Entity'),
    name: coalesce(node.name, ''),
    // Our times are not asked for, and are slow to transfer.
    entity: CASE WHEN node:Entity THEN node {.*, created_at: null, updated_at: null} END,
    ours: CASE WHEN NOT node:Entity THEN
      node {.id, .status, .target, .origin, created_at: toString(node.created_at)} END,
    relation: row.relation,
    distance: row.distance,
    weight: row.edge[0],
    direction: CASE WHEN row.outgoing THEN 'outgoing' ELSE 'incoming' END,
    edge_id: nullif(-row.edge[1], 0)
  }) AS neighbors
}
RETURN size(rows) AS total, neighbors
