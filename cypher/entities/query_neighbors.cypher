// Lists the neighbours of a node by distance, one row per neighbour, relation and direction: active, then strongest.
// read
// $namespace STRING: the caller's namespace
// $name STRING: name of an entity
// $element STRING: element id of the node, if no entity has exactly the name; else null
// $depth INTEGER: most hops, 1 to 5
// $bookkeeping LIST<STRING>: relationship types that are not followed
// $relation STRING: the one relation to follow on every hop, or null for all
// $direction STRING: 'both', 'outgoing' or 'incoming', on every hop
// $offset INTEGER: rows to skip; the start node is returned only at offset 0
// $limit INTEGER: greatest number of rows, whose nodes and relations are loaded completely
// $hub INTEGER: of a node with more relations than this, one hop is answered by query_hub.cypher, and by no row here
OPTIONAL MATCH (entity:Entity {namespace: $namespace, name: $name})
OPTIONAL MATCH (record)
  WHERE elementId(record) = $element
WITH coalesce(entity, record) AS start
WHERE start IS NOT NULL AND ($depth > 1 OR COUNT { (start)--() } <= $hub)
WITH start, [start] AS seen0
CALL (start, seen0) {
  WITH start AS near
  MATCH (near)-[edge]-(node)
  WHERE NOT type(edge) IN $bookkeeping
    AND ($relation IS NULL OR coalesce(edge.relation, type(edge)) = $relation)
    AND ($direction = 'both' OR (startNode(edge) = near) = ($direction = 'outgoing'))
    AND NOT node IN seen0
  WITH node, coalesce(edge.relation, type(edge)) AS relation, startNode(edge) = near AS outgoing,
       max([coalesce(edge.weight, 1.0), -coalesce(edge.edge_id, 0), edge]) AS edge
  ORDER BY
    CASE WHEN node:Decision OR node:Proposal OR node:Entry THEN
      CASE coalesce(node.status, 'active') WHEN 'active' THEN 0 WHEN 'draft' THEN 1 ELSE 2 END
    ELSE 0 END,
    edge[0] DESC, node.name, relation, outgoing DESC, coalesce(node.node_id, elementId(node))
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
       max([coalesce(edge.weight, 1.0), -coalesce(edge.edge_id, 0), edge]) AS edge
  ORDER BY
    CASE WHEN node:Decision OR node:Proposal OR node:Entry THEN
      CASE coalesce(node.status, 'active') WHEN 'active' THEN 0 WHEN 'draft' THEN 1 ELSE 2 END
    ELSE 0 END,
    edge[0] DESC, node.name, relation, outgoing DESC, coalesce(node.node_id, elementId(node))
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
       max([coalesce(edge.weight, 1.0), -coalesce(edge.edge_id, 0), edge]) AS edge
  ORDER BY
    CASE WHEN node:Decision OR node:Proposal OR node:Entry THEN
      CASE coalesce(node.status, 'active') WHEN 'active' THEN 0 WHEN 'draft' THEN 1 ELSE 2 END
    ELSE 0 END,
    edge[0] DESC, node.name, relation, outgoing DESC, coalesce(node.node_id, elementId(node))
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
       max([coalesce(edge.weight, 1.0), -coalesce(edge.edge_id, 0), edge]) AS edge
  ORDER BY
    CASE WHEN node:Decision OR node:Proposal OR node:Entry THEN
      CASE coalesce(node.status, 'active') WHEN 'active' THEN 0 WHEN 'draft' THEN 1 ELSE 2 END
    ELSE 0 END,
    edge[0] DESC, node.name, relation, outgoing DESC, coalesce(node.node_id, elementId(node))
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
       max([coalesce(edge.weight, 1.0), -coalesce(edge.edge_id, 0), edge]) AS edge
  ORDER BY
    CASE WHEN node:Decision OR node:Proposal OR node:Entry THEN
      CASE coalesce(node.status, 'active') WHEN 'active' THEN 0 WHEN 'draft' THEN 1 ELSE 2 END
    ELSE 0 END,
    edge[0] DESC, node.name, relation, outgoing DESC, coalesce(node.node_id, elementId(node))
  RETURN collect({distance: 5, node: node, relation: relation, outgoing: outgoing, edge: edge}) AS rows5,
         collect(DISTINCT node) AS level5
}
WITH start, rows1 + rows2 + rows3 + rows4 + rows5 AS rows,
  size(level1) + size(level2) + size(level3) + size(level4) + size(level5) AS nodes
CALL (rows) {
  UNWIND rows AS row
  WITH row.relation AS relation, count(*) AS count
  ORDER BY count DESC, relation
  LIMIT 100
  RETURN collect([relation, count]) AS relations
}
CALL (rows) {
  UNWIND rows[$offset..$offset + $limit] AS row
  WITH row, row.node AS node, row.edge[2] AS edge
  RETURN collect({
    node_id: coalesce(node.node_id, node.id, 0),
    label: coalesce(node.label, head([label IN labels(node) WHERE NOT label IN ['Entity', 'Unprojected']]), 'Entity'),
    name: coalesce(node.name, ''),
    // The service's own times are not needed, and are slow to transfer.
    entity: CASE WHEN node:Entity THEN node {.*, created_at: null, updated_at: null} END,
    record: CASE WHEN NOT node:Entity THEN
      node {.id, status: CASE
        WHEN node:Decision AND node.status = 'active' AND node.superseded_from <= datetime.realtime() THEN 'superseded'
        WHEN node:Decision AND node.status = 'active' AND node.valid_until <= datetime.realtime() THEN 'expired'
        ELSE node.status
      END, .target, .origin, created_at: toString(node.created_at)} END,
    relation: row.relation,
    distance: row.distance,
    weight: row.edge[0],
    direction: CASE WHEN row.outgoing THEN 'outgoing' ELSE 'incoming' END,
    edge_id: nullif(-row.edge[1], 0),
    edge: edge {
      .*, created_at: null, updated_at: null,
      at: CASE WHEN edge:SUPERSEDES THEN toString(edge.at) ELSE edge.at END
    }
  }) AS neighbors
}
RETURN
  nodes,
  size(rows) AS total,
  relations,
  neighbors,
  CASE WHEN start:Entity THEN start.name ELSE $name END AS start_node,
  CASE WHEN $offset = 0 THEN {
    node_id: coalesce(start.node_id, start.id, 0),
    label: coalesce(start.label, head([label IN labels(start) WHERE NOT label IN ['Entity', 'Unprojected']]), 'Entity'),
    name: coalesce(start.name, ''),
    status: CASE
      WHEN start:Decision AND start.status = 'active' AND start.superseded_from <= datetime.realtime() THEN 'superseded'
      WHEN start:Decision AND start.status = 'active' AND start.valid_until <= datetime.realtime() THEN 'expired'
      WHEN start:Decision OR start:Proposal THEN start.status
    END,
    entity: CASE WHEN start:Entity THEN start {.*, created_at: null, updated_at: null} END,
    record: CASE WHEN NOT start:Entity THEN start {
      .id, .title, .target, status: CASE
        WHEN start:Decision AND start.status = 'active' AND start.superseded_from <= datetime.realtime()
          THEN 'superseded'
        WHEN start:Decision AND start.status = 'active' AND start.valid_until <= datetime.realtime() THEN 'expired'
        ELSE start.status
      END, .origin,
      rationale: CASE WHEN size(start.rationale) > 500 THEN left(start.rationale, 499) + '…' ELSE start.rationale END,
      created_at: toString(start.created_at)
    } END
  } END AS start
