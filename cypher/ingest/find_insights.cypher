// Returns the insights that have one of these ids or exactly one of these contents.
// read
// $namespace STRING: the caller's namespace
// $ids LIST<INTEGER>: ids of insights
// $contents LIST<STRING>: exact contents of insights
CALL () {
  UNWIND $ids AS id
  MATCH (insight:Insight {namespace: $namespace, id: id})
  RETURN insight
  UNION
  // Contents are too long for an index: each batch reads all insights of the namespace once.
  UNWIND CASE WHEN $contents = [] THEN [] ELSE [$contents] END AS contents
  MATCH (insight:Insight {namespace: $namespace})
  WHERE insight.id IS NOT NULL AND insight.content IN contents
  RETURN insight
}
RETURN insight.id AS id, insight.content AS content
ORDER BY id
