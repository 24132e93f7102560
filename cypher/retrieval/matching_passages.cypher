// Returns the best passages of a full-text query with origins, its terms' weights, and whether vectors are recreated.
// read
// $query STRING: a Lucene query that requires a scope tag, and so the namespace
// $terms LIST<STRING>: the same query for each of its terms alone
// $record_query STRING: the query for records by all their words; empty where those are not indexed
// $record_terms LIST<STRING>: the same for each of its terms alone
// $namespace STRING: the caller's namespace
// $limit INTEGER: how many passages and records at most
// $counted INTEGER: up to how many passages of the namespace are counted if a term has no hit
// $first INTEGER: for how many of each the origin is returned
// $read INTEGER: for how many passages that are whole records it is returned how they begin
CALL () {
  UNWIND $terms AS term
  CALL db.index.fulltext.queryNodes('passage_words', term, {limit: 1}) YIELD score
  WHERE score > 0
  RETURN collect(score) AS strongest
}
CALL () {
  CALL db.index.fulltext.queryNodes('passage_words', $query, {limit: $limit}) YIELD node, score
  WHERE score > 0
  WITH node, score ORDER BY score DESC, node.record DESC, node.id
  // One row: a row for each would cost more than the search itself.
  WITH
    collect([node.id, node.record, coalesce(node.whole, false), score]) AS hits,
    collect(node) AS nodes
  RETURN
    hits,
    nodes[..$first] AS best,
    [place IN range(0, $read - 1) |
      CASE WHEN hits[place][2] THEN coalesce(nodes[place].body, nodes[place].name) END] AS openings
}
CALL () {
  UNWIND $record_terms AS term
  CALL db.index.fulltext.queryNodes('record_words', term, {limit: 1}) YIELD score
  WHERE score > 0
  RETURN collect(score) AS record_strongest
}
CALL () {
  WITH $record_query AS query
  WHERE query <> ''
  CALL db.index.fulltext.queryNodes('record_words', query, {limit: $limit}) YIELD node, score
  WHERE score > 0
  WITH node, score ORDER BY score DESC, node.record DESC
  RETURN collect([node.record, score]) AS records, collect(node)[..$first] AS wholes
}
CALL (strongest, record_strongest) {
  // How rare a term is that no passage has depends on the namespace alone, whatever else the database holds.
  WITH 1 AS one
  WHERE size(strongest) < size($terms) OR size(record_strongest) < size($record_terms)
  MATCH (passage:Passage {namespace: $namespace})
  WHERE passage.record IS NOT NULL
  WITH passage LIMIT $counted
  RETURN count(passage) AS passages
}
RETURN
  strongest,
  record_strongest,
  passages,
  hits,
  openings,
  records,
  [node IN best + [whole IN wholes WHERE NOT whole IN best] | [node.id, node.at, {
    record: node.record,
    whole: coalesce(node.whole, false),
    parts: coalesce(node.parts, 1),
    session: node.session,
    first_place: node.place,
    last_place: coalesce(node.last_place, node.place)
  }]] AS first,
  EXISTS { MATCH (model:EmbeddingModel {purpose: 'projection'}) WHERE model.recreating } AS recreating
