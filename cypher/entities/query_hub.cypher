// Lists the neighbours of a node with very many relations, which are read and ordered a part at a time.
// read
// $namespace STRING: the caller's namespace
// $name STRING: name of an entity
// $element STRING: element id of the node, if no entity has exactly the name; else null
// $bookkeeping LIST<STRING>: relationship types that are not followed
// $relation STRING: the one relation to follow, or null for all
// $direction STRING: 'both', 'outgoing' or 'incoming'
// $first INTEGER: rows before the part that is read
// $part INTEGER: rows of a part, which are ordered as query_neighbors orders all
// $offset INTEGER: rows to skip, $first or more; the start node is returned only at offset 0
// $limit INTEGER: greatest number of rows, whose nodes and relations are loaded completely
OPTIONAL MATCH (entity:Entity {namespace: $namespace, name: $name})
OPTIONAL MATCH (record)
  WHERE elementId(record) = $element
WITH coalesce(entity, record) AS start
WHERE start IS NOT NULL
CALL (start) {
  CALL (start) {
    // Every relation is counted: only of those whose type is not their name is a property read.
    MATCH (start)-[edge]-(node)
    WHERE ($relation IS NULL OR type(edge) = $relation) AND node <> start
      AND ($direction = 'both' OR (startNode(edge) = start) = ($direction = 'outgoing'))
    WITH type(edge) AS relation, count(*) AS count
    WHERE NOT relation IN $bookkeeping AND relation <> 'RELATED'
    RETURN relation, count
    UNION ALL
    MATCH (start)-[edge:RELATED]-(node)
    WHERE ($relation IS NULL OR coalesce(edge.relation, 'RELATED') = $relation) AND node <> start
      AND ($direction = 'both' OR (startNode(edge) = start) = ($direction = 'outgoing'))
    WITH coalesce(edge.relation, 'RELATED') AS relation, count(*) AS count
    RETURN relation, count
  }
  WITH relation, sum(count) AS count ORDER BY count DESC, relation
  RETURN collect([relation, count])[..100] AS relations, sum(count) AS total
}
CALL (start) {
  MATCH (start)-[edge]-(node)
  WHERE NOT type(edge) IN $bookkeeping
    AND ($relation IS NULL
      OR CASE type(edge) WHEN 'RELATED' THEN coalesce(edge.relation, 'RELATED') ELSE type(edge) END = $relation)
    AND ($direction = 'both' OR (startNode(edge) = start) = ($direction = 'outgoing'))
    AND node <> start
  WITH edge, node, startNode(edge) = start AS outgoing
  SKIP $first
  LIMIT $part
  WITH edge, node, outgoing, coalesce(edge.relation, type(edge)) AS relation
  ORDER BY
    CASE WHEN node:Decision OR node:Proposal OR node:Entry THEN
      CASE coalesce(node.status, 'active') WHEN 'active' THEN 0 WHEN 'draft' THEN 1 ELSE 2 END
    ELSE 0 END,
    coalesce(edge.weight, 1.0) DESC, node.name, relation, outgoing DESC, coalesce(node.node_id, elementId(node))
  RETURN collect({node: node, relation: relation, outgoing: outgoing, edge: edge}) AS rows
}
CALL (rows) {
  UNWIND rows[$offset - $first..$offset - $first + $limit] AS row
  WITH row, row.node AS node, row.edge AS edge
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
    distance: 1,
    weight: coalesce(edge.weight, 1.0),
    direction: CASE WHEN row.outgoing THEN 'outgoing' ELSE 'incoming' END,
    edge_id: edge.edge_id,
    edge: edge {
      .*, created_at: null, updated_at: null,
      at: CASE WHEN edge:SUPERSEDES THEN toString(edge.at) ELSE edge.at END
    }
  }) AS neighbors
}
RETURN
  total AS nodes,
  total,
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
