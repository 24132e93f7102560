// Returns the nodes one hop past a level of a search, each with the greatest weight on the way there.
// read
// $level MAP<INTEGER>: element id to the weight summed so far, for the nodes of the level
// $behind LIST<STRING>: element ids of the previous level, to which no shortest path returns
// $within LIST<STRING>: element ids that may be reached, or null for all
// $bookkeeping LIST<STRING>: relationship types that are not followed
// $relations LIST<STRING>: relations to follow, or null for all
// $scale FLOAT: weights are summed as integers, in units of 1/scale
UNWIND keys($level) AS id
MATCH (near) WHERE elementId(near) = id
WITH near, $level[id] AS summed
MATCH (near)-[edge]-(node)
WHERE NOT type(edge) IN $bookkeeping
  AND ($relations IS NULL OR coalesce(edge.relation, type(edge)) IN $relations)
WITH node, max(summed + toInteger(round(coalesce(edge.weight, 1.0) * $scale))) AS weight
WITH elementId(node) AS id, weight
WHERE $level[id] IS NULL AND NOT id IN $behind AND ($within IS NULL OR id IN $within)
RETURN id, weight
