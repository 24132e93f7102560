// Lists the neighbours that a node had at a time, in the rows and the order of query_neighbors.
// read
// $name STRING: the name that the answer repeats where the node is no entity
// $element STRING: element id of the node
// $as_of ZONED DATETIME: the time
// $depth INTEGER: most hops, 1 to 5
// $bookkeeping LIST<STRING>: relationship types that are not followed
// $relation STRING: the one relation to follow on every hop, or null for all
// $direction STRING: 'both', 'outgoing' or 'incoming', on every hop
// $offset INTEGER: rows to skip; the start node is returned only at offset 0
// $limit INTEGER: greatest number of rows, whose nodes and relations are loaded completely
MATCH (start) WHERE elementId(start) = $element
WITH start, [start] AS level0, [start] AS seen0
CALL (level0, seen0) {
  UNWIND level0 AS near
  MATCH (near)-[edge]-(node)
  // A relation that ended since has the type FORMER, and its own type in former_type.
  WHERE NOT CASE type(edge) WHEN 'FORMER' THEN edge.former_type ELSE type(edge) END IN $bookkeeping
    AND (type(edge) <> 'FORMER' OR edge.former_until > $as_of)
    // A relation without a time of its own was stored with its start.
    AND coalesce(coalesce(edge.created_at, edge.at, startNode(edge).created_at) <= $as_of, true)
    AND coalesce(node.created_at <= $as_of, true) AND (NOT node:Retracted OR node.retracted_at > $as_of)
    AND ($direction = 'both' OR (startNode(edge) = near) = ($direction = 'outgoing'))
    AND NOT node IN seen0
  WITH node, edge, startNode(edge) = near AS outgoing,
    coalesce(edge.relation, CASE type(edge) WHEN 'FORMER' THEN edge.former_type ELSE type(edge) END) AS relation
  WHERE $relation IS NULL OR relation = $relation
  // A change of a relation left its former version: of those that ended after the time, the first held then.
  WITH node, relation, outgoing, edge.edge_id AS id,
    min([coalesce(edge.former_until, datetime('9999-12-31T00:00:00Z')), edge])[1] AS edge
  WITH node, relation, outgoing, max([coalesce(edge.weight, 1.0), -coalesce(edge.edge_id, 0), edge]) AS edge
  RETURN collect({distance: 1, node: node, relation: relation, outgoing: outgoing, edge: edge}) AS rows1,
         collect(DISTINCT node) AS level1
}
WITH *, seen0 + level1 AS seen1
CALL (level1, seen1) {
  UNWIND CASE WHEN $depth >= 2 THEN level1 ELSE [] END AS near
  MATCH (near)-[edge]-(node)
  WHERE NOT CASE type(edge) WHEN 'FORMER' THEN edge.former_type ELSE type(edge) END IN $bookkeeping
    AND (type(edge) <> 'FORMER' OR edge.former_until > $as_of)
    AND coalesce(coalesce(edge.created_at, edge.at, startNode(edge).created_at) <= $as_of, true)
    AND coalesce(node.created_at <= $as_of, true) AND (NOT node:Retracted OR node.retracted_at > $as_of)
    AND ($direction = 'both' OR (startNode(edge) = near) = ($direction = 'outgoing'))
    AND NOT node IN seen1
  WITH node, edge, startNode(edge) = near AS outgoing,
    coalesce(edge.relation, CASE type(edge) WHEN 'FORMER' THEN edge.former_type ELSE type(edge) END) AS relation
  WHERE $relation IS NULL OR relation = $relation
  WITH node, relation, outgoing, edge.edge_id AS id,
    min([coalesce(edge.former_until, datetime('9999-12-31T00:00:00Z')), edge])[1] AS edge
  WITH node, relation, outgoing, max([coalesce(edge.weight, 1.0), -coalesce(edge.edge_id, 0), edge]) AS edge
  RETURN collect({distance: 2, node: node, relation: relation, outgoing: outgoing, edge: edge}) AS rows2,
         collect(DISTINCT node) AS level2
}
WITH *, seen1 + level2 AS seen2
CALL (level2, seen2) {
  UNWIND CASE WHEN $depth >= 3 THEN level2 ELSE [] END AS near
  MATCH (near)-[edge]-(node)
  WHERE NOT CASE type(edge) WHEN 'FORMER' THEN edge.former_type ELSE type(edge) END IN $bookkeeping
    AND (type(edge) <> 'FORMER' OR edge.former_until > $as_of)
    AND coalesce(coalesce(edge.created_at, edge.at, startNode(edge).created_at) <= $as_of, true)
    AND coalesce(node.created_at <= $as_of, true) AND (NOT node:Retracted OR node.retracted_at > $as_of)
    AND ($direction = 'both' OR (startNode(edge) = near) = ($direction = 'outgoing'))
    AND NOT node IN seen2
  WITH node, edge, startNode(edge) = near AS outgoing,
    coalesce(edge.relation, CASE type(edge) WHEN 'FORMER' THEN edge.former_type ELSE type(edge) END) AS relation
  WHERE $relation IS NULL OR relation = $relation
  WITH node, relation, outgoing, edge.edge_id AS id,
    min([coalesce(edge.former_until, datetime('9999-12-31T00:00:00Z')), edge])[1] AS edge
  WITH node, relation, outgoing, max([coalesce(edge.weight, 1.0), -coalesce(edge.edge_id, 0), edge]) AS edge
  RETURN collect({distance: 3, node: node, relation: relation, outgoing: outgoing, edge: edge}) AS rows3,
         collect(DISTINCT node) AS level3
}
WITH *, seen2 + level3 AS seen3
CALL (level3, seen3) {
  UNWIND CASE WHEN $depth >= 4 THEN level3 ELSE [] END AS near
  MATCH (near)-[edge]-(node)
  WHERE NOT CASE type(edge) WHEN 'FORMER' THEN edge.former_type ELSE type(edge) END IN $bookkeeping
    AND (type(edge) <> 'FORMER' OR edge.former_until > $as_of)
    AND coalesce(coalesce(edge.created_at, edge.at, startNode(edge).created_at) <= $as_of, true)
    AND coalesce(node.created_at <= $as_of, true) AND (NOT node:Retracted OR node.retracted_at > $as_of)
    AND ($direction = 'both' OR (startNode(edge) = near) = ($direction = 'outgoing'))
    AND NOT node IN seen3
  WITH node, edge, startNode(edge) = near AS outgoing,
    coalesce(edge.relation, CASE type(edge) WHEN 'FORMER' THEN edge.former_type ELSE type(edge) END) AS relation
  WHERE $relation IS NULL OR relation = $relation
  WITH node, relation, outgoing, edge.edge_id AS id,
    min([coalesce(edge.former_until, datetime('9999-12-31T00:00:00Z')), edge])[1] AS edge
  WITH node, relation, outgoing, max([coalesce(edge.weight, 1.0), -coalesce(edge.edge_id, 0), edge]) AS edge
  RETURN collect({distance: 4, node: node, relation: relation, outgoing: outgoing, edge: edge}) AS rows4,
         collect(DISTINCT node) AS level4
}
WITH *, seen3 + level4 AS seen4
CALL (level4, seen4) {
  UNWIND CASE WHEN $depth >= 5 THEN level4 ELSE [] END AS near
  MATCH (near)-[edge]-(node)
  WHERE NOT CASE type(edge) WHEN 'FORMER' THEN edge.former_type ELSE type(edge) END IN $bookkeeping
    AND (type(edge) <> 'FORMER' OR edge.former_until > $as_of)
    AND coalesce(coalesce(edge.created_at, edge.at, startNode(edge).created_at) <= $as_of, true)
    AND coalesce(node.created_at <= $as_of, true) AND (NOT node:Retracted OR node.retracted_at > $as_of)
    AND ($direction = 'both' OR (startNode(edge) = near) = ($direction = 'outgoing'))
    AND NOT node IN seen4
  WITH node, edge, startNode(edge) = near AS outgoing,
    coalesce(edge.relation, CASE type(edge) WHEN 'FORMER' THEN edge.former_type ELSE type(edge) END) AS relation
  WHERE $relation IS NULL OR relation = $relation
  WITH node, relation, outgoing, edge.edge_id AS id,
    min([coalesce(edge.former_until, datetime('9999-12-31T00:00:00Z')), edge])[1] AS edge
  WITH node, relation, outgoing, max([coalesce(edge.weight, 1.0), -coalesce(edge.edge_id, 0), edge]) AS edge
  RETURN collect({distance: 5, node: node, relation: relation, outgoing: outgoing, edge: edge}) AS rows5,
         collect(DISTINCT node) AS level5
}
WITH start, rows1 + rows2 + rows3 + rows4 + rows5 AS found
CALL (found) {
  UNWIND found AS row
  WITH row.distance AS distance, row.node AS node, row.outgoing AS outgoing, row.relation AS relation, row.edge AS edge
  // The image of the first change after the time has the properties of then.
  WITH *, head(COLLECT {
    MATCH (change:Change)-[was:WAS]->(node)
    WHERE change.at > $as_of
    RETURN was ORDER BY change.at LIMIT 1
  }) AS was, CASE WHEN node:Retracted THEN node.retracted_from ELSE labels(node) END AS node_kinds
  WITH *, CASE WHEN NOT any(kind IN node_kinds WHERE kind IN ['Decision', 'Proposal', 'Entry']) THEN null
    WHEN was IS NOT NULL THEN was.status
    WHEN node.superseded_at > $as_of OR node.archived_at > $as_of THEN 'active'
    WHEN node.decided_at > $as_of THEN 'draft'
    ELSE node.status
  END AS status
  ORDER BY distance,
    CASE coalesce(status, 'active') WHEN 'active' THEN 0 WHEN 'draft' THEN 1 ELSE 2 END,
    edge[0] DESC, coalesce(was.name, node.name), relation, outgoing DESC, coalesce(node.node_id, elementId(node))
  RETURN collect({
    distance: distance, node: node, relation: relation, outgoing: outgoing, edge: edge, was: was, kinds: node_kinds,
    status: status
  }) AS rows, count(DISTINCT node) AS nodes
}
WITH start, rows, nodes, head(COLLECT {
  MATCH (change:Change)-[was:WAS]->(start)
  WHERE change.at > $as_of
  RETURN was ORDER BY change.at LIMIT 1
}) AS was, CASE WHEN start:Retracted THEN start.retracted_from ELSE labels(start) END AS kinds
CALL (rows) {
  UNWIND rows AS row
  WITH row.relation AS relation, count(*) AS count
  ORDER BY count DESC, relation
  LIMIT 100
  RETURN collect([relation, count]) AS relations
}
CALL (rows) {
  UNWIND rows[$offset..$offset + $limit] AS row
  WITH row, row.node AS node, row.edge[2] AS edge, row.kinds AS node_kinds, row.was AS image
  WITH *, CASE WHEN image IS NULL THEN properties(node) ELSE image {.*, former_labels: null} END AS then
  RETURN collect({
    node_id: coalesce(node.node_id, node.id, 0),
    label: coalesce(then.label, head([kind IN node_kinds WHERE NOT kind IN ['Entity', 'Unprojected']]), 'Entity'),
    name: coalesce(then.name, ''),
    entity: CASE WHEN 'Entity' IN node_kinds THEN then {.*, created_at: null, updated_at: null} END,
    record: CASE WHEN NOT 'Entity' IN node_kinds THEN
      then {.id, .target, .origin, status: row.status, created_at: toString(node.created_at)} END,
    relation: row.relation,
    distance: row.distance,
    weight: row.edge[0],
    direction: CASE WHEN row.outgoing THEN 'outgoing' ELSE 'incoming' END,
    edge_id: nullif(-row.edge[1], 0),
    edge: CASE WHEN edge:FORMER THEN
      edge {.*, created_at: null, updated_at: null, former_type: null, former_until: null, former_change: null,
        at: CASE WHEN edge.former_type = 'SUPERSEDES' THEN toString(edge.at) ELSE edge.at END}
    ELSE
      edge {.*, created_at: null, updated_at: null,
        at: CASE WHEN edge:SUPERSEDES THEN toString(edge.at) ELSE edge.at END}
    END
  }) AS neighbors
}
WITH *, CASE WHEN was IS NULL THEN properties(start) ELSE was {.*, former_labels: null} END AS then
RETURN
  nodes,
  size(rows) AS total,
  relations,
  neighbors,
  CASE WHEN 'Entity' IN kinds THEN then.name ELSE $name END AS start_node,
  CASE WHEN $offset = 0 THEN {
    node_id: coalesce(start.node_id, start.id, 0),
    label: coalesce(then.label, head([kind IN kinds WHERE NOT kind IN ['Entity', 'Unprojected']]), 'Entity'),
    name: coalesce(then.name, ''),
    status: CASE WHEN NOT any(kind IN kinds WHERE kind IN ['Decision', 'Proposal']) THEN null
      WHEN was IS NOT NULL THEN was.status
      WHEN start.superseded_at > $as_of THEN 'active'
      WHEN start.decided_at > $as_of THEN 'draft'
      ELSE start.status
    END,
    entity: CASE WHEN 'Entity' IN kinds THEN then {.*, created_at: null, updated_at: null} END,
    record: CASE WHEN NOT 'Entity' IN kinds THEN then {
      .id, .title, .target, .origin,
      rationale: CASE WHEN size(then.rationale) > 500 THEN left(then.rationale, 499) + '…' ELSE then.rationale END,
      created_at: toString(start.created_at)
    } END
  } END AS start
