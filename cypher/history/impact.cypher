// Returns what depends on a thing or a record, nearest first, and counts it by kind.
// read
// $namespace STRING: the caller's namespace
// $name STRING: name of an entity, or id of a record
// $number INTEGER: id of an insight, dialogue or episode, if the name is a number
// $key STRING: comparison key of the name, used if nothing has exactly this name or id
// $now ZONED DATETIME: the current time
// $ignored LIST<STRING>: relationship types that lead to nothing that depends on it
// $depth INTEGER: most hops, 1 to 3
// $wide INTEGER: most relations that are followed from one distance to the next
// $limit INTEGER: how many at most
// $offset INTEGER: how many to skip
OPTIONAL MATCH (entity:Entity {namespace: $namespace, name: $name})
OPTIONAL CALL (entity) {
  WITH entity
  WHERE entity IS NULL
  OPTIONAL MATCH (decision:Decision {namespace: $namespace, id: $name})
  OPTIONAL MATCH (proposal:Proposal {namespace: $namespace, id: $name})
  OPTIONAL MATCH (insight:Insight {namespace: $namespace, id: $number})
  OPTIONAL MATCH (dialogue:Dialogue {namespace: $namespace, id: $number})
  OPTIONAL MATCH (episode:Episode {namespace: $namespace, id: $number})
  OPTIONAL MATCH (entry:Entry {namespace: $namespace, id: $name})
  OPTIONAL MATCH (message:Message {namespace: $namespace, id: $name})
  CALL () {
    MATCH (live:MemoryCollection {namespace: $namespace, state: 'live'})
    WHERE live.of IN ['memories', 'summaries']
    MATCH (record:Collected {namespace: $namespace, collection: live.id, id: $name})
    RETURN head(collect(record)) AS collected
  }
  RETURN coalesce(decision, proposal, insight, dialogue, episode, entry, message, collected) AS record
}
OPTIONAL CALL (entity, record) {
  WITH entity, record
  WHERE entity IS NULL AND record IS NULL
  CALL () {
    MATCH (equal:Entity {namespace: $namespace, name_key: $key})
    RETURN equal
    UNION
    // A name from before a merge or a rename.
    MATCH (:Alias {namespace: $namespace, name_key: $key})-[:ALIAS_OF*1..5]->(equal:Entity)
    RETURN equal
  }
  WITH equal
  LIMIT 2
  WITH collect(equal) AS found
  // With two equal keys the name is ambiguous.
  WHERE size(found) = 1
  RETURN head(found) AS only
}
WITH coalesce(entity, record, only) AS node
WHERE node IS NOT NULL
WITH node AS start, [node] AS level0, [node] AS seen0
CALL (level0, seen0) {
  UNWIND level0 AS near
  MATCH (near)-[edge]-(node)
  WHERE NOT type(edge) IN $ignored
    AND (startNode(edge) = node OR (near:Entity AND node:Entity) OR type(edge) = 'AMENDED_BY')
    AND NOT node IN seen0
    AND CASE
      WHEN node:Decision THEN node.status = 'active' AND coalesce(node.valid_until > $now, true)
        AND coalesce(node.superseded_from > $now, true)
      WHEN node:Proposal THEN node.status = 'draft'
      ELSE coalesce(node.status, 'active') = 'active'
    END
  WITH near, edge, node LIMIT $wide
  WITH node, head(collect({
    relation: coalesce(edge.relation, type(edge)), via: near, outgoing: startNode(edge) = node
  })) AS link
  RETURN collect({node: node, link: link, distance: 1}) AS rows1, collect(node) AS level1
}
WITH *, seen0 + level1 AS seen1
CALL (level1, seen1) {
  UNWIND CASE WHEN $depth >= 2 THEN level1 ELSE [] END AS near
  MATCH (near)-[edge]-(node)
  WHERE NOT type(edge) IN $ignored
    AND (startNode(edge) = node OR (near:Entity AND node:Entity) OR type(edge) = 'AMENDED_BY')
    AND NOT node IN seen1
    AND CASE
      WHEN node:Decision THEN node.status = 'active' AND coalesce(node.valid_until > $now, true)
        AND coalesce(node.superseded_from > $now, true)
      WHEN node:Proposal THEN node.status = 'draft'
      ELSE coalesce(node.status, 'active') = 'active'
    END
  WITH near, edge, node LIMIT $wide
  WITH node, head(collect({
    relation: coalesce(edge.relation, type(edge)), via: near, outgoing: startNode(edge) = node
  })) AS link
  RETURN collect({node: node, link: link, distance: 2}) AS rows2, collect(node) AS level2
}
WITH *, seen1 + level2 AS seen2
CALL (level2, seen2) {
  UNWIND CASE WHEN $depth >= 3 THEN level2 ELSE [] END AS near
  MATCH (near)-[edge]-(node)
  WHERE NOT type(edge) IN $ignored
    AND (startNode(edge) = node OR (near:Entity AND node:Entity) OR type(edge) = 'AMENDED_BY')
    AND NOT node IN seen2
    AND CASE
      WHEN node:Decision THEN node.status = 'active' AND coalesce(node.valid_until > $now, true)
        AND coalesce(node.superseded_from > $now, true)
      WHEN node:Proposal THEN node.status = 'draft'
      ELSE coalesce(node.status, 'active') = 'active'
    END
  WITH near, edge, node LIMIT $wide
  WITH node, head(collect({
    relation: coalesce(edge.relation, type(edge)), via: near, outgoing: startNode(edge) = node
  })) AS link
  RETURN collect({node: node, link: link, distance: 3}) AS rows3, collect(node) AS level3
}
WITH *, seen2 + level3 AS seen3
WITH start, rows1 + rows2 + rows3 AS rows,
  size(rows1) >= $wide OR size(rows2) >= $wide OR size(rows3) >= $wide AS incomplete
CALL (rows) {
  UNWIND rows AS row
  WITH row.node AS record
  WITH CASE WHEN record:Entity THEN 'Entity' ELSE
    coalesce(record.label, head([label IN labels(record) WHERE NOT label IN ['Passage', 'Unprojected']]))
  END AS kind, count(*) AS many ORDER BY many DESC, kind
  RETURN collect({kind: kind, many: many}) AS counts
}
CALL (rows) {
  UNWIND rows AS row
  WITH row, row.node AS record
  ORDER BY row.distance,
    CASE WHEN record:Decision THEN 0 WHEN record:Proposal THEN 1 WHEN record:Entity THEN 2 ELSE 3 END,
    CASE row.link.relation WHEN 'REQUIRES' THEN 0 WHEN 'ABOUT' THEN 1 ELSE 2 END,
    record.name, coalesce(record.node_id, elementId(record))
  SKIP $offset LIMIT $limit
  RETURN collect({
    id: CASE WHEN NOT record:Entity THEN toString(coalesce(record.id, record.node_id)) END,
    kind: CASE WHEN record:Entity THEN 'Entity' ELSE
      coalesce(record.label, head([label IN labels(record) WHERE NOT label IN ['Passage', 'Unprojected']]))
    END,
    name: left(coalesce(record.name, ''), 200),
    target: CASE WHEN record:Decision OR record:Proposal THEN record.target END,
    distance: row.distance,
    relation: row.link.relation,
    direction: CASE WHEN row.link.outgoing THEN 'incoming' ELSE 'outgoing' END,
    via: CASE WHEN row.distance > 1 THEN left(coalesce(row.link.via.name, ''), 200) END
  }) AS affected
}
RETURN left(coalesce(start.name, ''), 200) AS name, size(rows) AS total, incomplete, counts, affected
