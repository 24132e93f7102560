// Returns the nodes one hop beyond a level of a search, each with the greatest weight that leads back.
// read
// $level MAP<INTEGER>: element id to the weight gathered so far, of the nodes to go on from
// $behind LIST<STRING>: element ids of the level before, where no shortest path returns to
// $within LIST<STRING>: element ids to keep to, or null for wherever the hop leads
// $bookkeeping LIST<STRING>: relationship types that are not travelled
// $relations LIST<STRING>: relations to follow, or null for all
// $scale FLOAT: weights are summed as integers, in units of 1/scale
UNWIND keys($level) AS id
MATCH (near) WHERE elementId(near) = id
WITH near, $level[id] AS gathered
MATCH (near)-[edge]-(node)
WHERE NOT type(edge) IN $bookkeeping
  AND ($relations IS NULL OR coalesce(edge.relation, type(edge)) IN $relations)
WITH node, max(gathered + toInteger(round(coalesce(edge.weight, 1.0) * $scale))) AS weight
WITH elementId(node) AS id, weight
WHERE $level[id] IS NULL AND NOT id IN $behind AND ($within IS NULL OR id IN $within)
RETURN id, weight
