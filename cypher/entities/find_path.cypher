// Finds the hops of all shortest paths between two nodes: from both ends, where few relations lead on.
// read
// $namespace STRING: the caller's namespace
// $start STRING: name of an entity
// $start_element STRING: element id of the node, if no entity has the name; else null
// $end STRING: name of another entity
// $end_element STRING: as $start_element
// $bookkeeping LIST<STRING>: relationship types that are not followed
// $relations LIST<STRING>: relations to follow, or null for all
// $max_depth INTEGER: greatest number of hops of a path
// $count INTEGER: greatest number of paths
// $scale FLOAT: weights are returned as integers, in units of 1/scale, so that equal sums are equal
OPTIONAL MATCH (first:Entity {namespace: $namespace, name: $start})
OPTIONAL MATCH (one)
  WHERE elementId(one) = $start_element
OPTIONAL MATCH (last:Entity {namespace: $namespace, name: $end})
OPTIONAL MATCH (other)
  WHERE elementId(other) = $end_element
WITH coalesce(first, one) AS start, coalesce(last, other) AS end
// A side is the levels of nodes at 0, 1, 2 … hops from its end, with the steps to each. Each hop extends the side
// whose last level has fewer relations, so hubs are left for last. Subqueries here may not aggregate.
WITH start, end, reduce(
  search = {
    open: true,
    sides: [[{nodes: [start]}], [{nodes: [end]}]],
    costs: [COUNT { (start)--() }, COUNT { (end)--() }]
  },
  hop IN CASE WHEN start IS NULL OR end IS NULL THEN [] ELSE range(1, $max_depth) END |
  CASE WHEN search.open THEN head(COLLECT {
    WITH CASE WHEN search.costs[0] <= search.costs[1] THEN 0 ELSE 1 END AS at
    WITH at, search.sides[at] AS side, search.sides[1 - at] AS opposite
    WITH at, side, opposite, side[-1].nodes AS level, coalesce(side[-2].nodes, []) AS behind
    WITH at, side, opposite, level, behind, COLLECT {
      UNWIND level AS near
      MATCH (near)-[edge]-(node)
      WHERE NOT type(edge) IN $bookkeeping
        AND ($relations IS NULL OR coalesce(edge.relation, type(edge)) IN $relations)
      RETURN [near, edge, node]
    } AS steps, opposite[-1].nodes AS goal
    WITH at, side, opposite, level, behind, steps, [step IN steps WHERE step[2] IN goal] AS met
    WITH at, side, opposite, level, behind, met,
      CASE WHEN size(met) > 0 THEN met WHEN hop < $max_depth THEN steps ELSE [] END AS steps
    WITH at, side, opposite, level, behind, met, steps,
      COLLECT { UNWIND steps AS step RETURN DISTINCT step[2] } AS nodes
    WITH at, side, opposite, met, steps, [node IN nodes WHERE NOT node IN level AND NOT node IN behind] AS nodes
    WITH at, side + [{nodes: nodes, steps: steps}] AS side, opposite, size(nodes) AS size,
      size(met) = 0 AND size(nodes) > 0 AS open,
      // Of a large level, some degrees stand for all.
      COLLECT { UNWIND CASE WHEN size(met) = 0 THEN nodes[..1000] ELSE [] END AS node RETURN COUNT { (node)--() } } AS degrees
    WITH at, side, opposite, open,
      reduce(sum = 0.0, degree IN degrees | sum + degree * size / size(degrees)) AS cost
    RETURN {
      open: open,
      sides: CASE at WHEN 0 THEN [side, opposite] ELSE [opposite, side] END,
      costs: CASE at WHEN 0 THEN [cost, search.costs[1]] ELSE [search.costs[0], cost] END
    }
  }) ELSE search END
).sides AS sides
// From the nodes where the sides meet, only the steps to the ends are left.
WITH start, end, [side IN sides | reduce(
  kept = {nodes: [node IN sides[0][-1].nodes WHERE node IN sides[1][-1].nodes], hops: []},
  level IN reverse(side[1..]) | head(COLLECT {
    WITH [step IN level.steps WHERE step[2] IN kept.nodes] AS steps
    RETURN {nodes: COLLECT { UNWIND steps AS step RETURN DISTINCT step[0] }, hops: [steps] + kept.hops}
  })
).hops] AS halves
WITH start, end, halves[0] + [hop IN reverse(halves[1]) | [step IN hop | [step[2], step[1], step[0]]]] AS hops
// Two hubs may have thousands of common neighbours: of the steps over one of them, only the best are left. A node
// through which more ways lead than steps lead to it and from it stays as it is.
WITH start, end, hops, reduce(widest = 0, at IN range(1, size(hops) - 2) |
  CASE WHEN size(hops[at]) + size(hops[at + 1]) > size(hops[widest]) + size(hops[widest + 1]) THEN at ELSE widest END
) AS widest
CALL (hops, widest) {
  UNWIND [step IN hops[widest] | [step[2], step, null]] + [step IN hops[widest + 1] | [step[0], null, step]] AS row
  WITH row[0] AS node, collect(row[1]) AS before, collect(row[2]) AS after
  WHERE size(before) * size(after) <= size(before) + size(after)
  WITH collect(node) AS passed, collect([before, after]) AS around
  CALL (around) {
    UNWIND around AS each
    UNWIND each[0] AS one
    UNWIND each[1] AS two
    WITH one[0] AS near, two[2] AS far, collect([one[0], one[1], one[2], two[1], two[2]]) AS ways
    CALL (ways) {
      UNWIND ways AS way
      WITH coalesce(way[2].name, '') AS name, way,
        toInteger(round(coalesce(way[1].weight, 1.0) * $scale)) + toInteger(round(coalesce(way[3].weight, 1.0) * $scale))
          AS weight
      // Sorting completely is expensive. Each of these groups has at least one, so more groups are never needed.
      WITH weight, name, collect(way) AS equal
      ORDER BY weight DESC, name
      LIMIT $count
      UNWIND equal AS way
      WITH weight, name, way, way[1] AS edge, way[2] AS node, way[3] AS further
      ORDER BY weight DESC, name, coalesce(node.node_id, node.id, 0),
        coalesce(edge.relation, type(edge)), startNode(edge) = node,
        coalesce(further.relation, type(further)), startNode(further) <> node
      LIMIT $count
      RETURN way
    }
    RETURN collect(way) AS best
  }
  RETURN passed, best
}
WITH start, end, [at IN range(0, size(hops) - 1) | CASE at
  WHEN widest THEN [step IN hops[at] WHERE NOT step[2] IN passed] + best
  WHEN widest + 1 THEN [step IN hops[at] WHERE NOT step[0] IN passed]
  ELSE hops[at]
END] AS hops
WITH start, end, hops, COLLECT {
  UNWIND hops AS hop
  UNWIND hop AS steps
  UNWIND range(0, size(steps), 2) AS at
  WITH steps[at] AS node
  RETURN DISTINCT node
} AS nodes
RETURN elementId(start) AS start, elementId(end) AS end,
  [hop IN hops | [steps IN hop | [at IN range(1, size(steps) - 2, 2) | [
    elementId(steps[at - 1]),
    elementId(steps[at + 1]),
    coalesce(steps[at].relation, type(steps[at])),
    startNode(steps[at]) <> steps[at - 1],
    coalesce(steps[at].weight, 1.0),
    toInteger(round(coalesce(steps[at].weight, 1.0) * $scale))
  ]]]] AS hops,
  COLLECT {
    UNWIND nodes AS node
    WITH node, coalesce(node.name, '') AS name, coalesce(node.node_id, node.id, 0) AS node_id
    ORDER BY name, node_id
    RETURN {
      element: elementId(node),
      node_id: node_id,
      label: coalesce(node.label, head([label IN labels(node) WHERE NOT label IN ['Entity', 'Unprojected']]), 'Entity'),
      name: name,
      status: CASE
        WHEN node:Decision AND node.status = 'active' AND node.superseded_from <= datetime.realtime() THEN 'superseded'
        WHEN node:Decision AND node.status = 'active' AND node.valid_until <= datetime.realtime() THEN 'expired'
        WHEN node:Decision OR node:Proposal THEN node.status
      END
    }
  } AS nodes
