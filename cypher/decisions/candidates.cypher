// Tells what the graph knows of the candidates by meaning, of those by words, and of the decisions in force that replaced one.
// read
// $namespace STRING: the caller's namespace
// $decisions LIST<STRING>: ids of the decisions that are candidates by meaning
// $proposals LIST<STRING>: ids of the proposals that are
// $query STRING: a Lucene query that requires the namespace's scope; empty for none
// $limit INTEGER: how many candidates by words at most
// $preview INTEGER: how many characters of the rationale
CALL () {
  UNWIND $decisions AS id
  MATCH (decision:Decision {namespace: $namespace, id: id})
  RETURN decision, 0 AS worded, 0.0 AS score
  UNION ALL
  UNWIND $proposals AS id
  MATCH (decision:Proposal {namespace: $namespace, id: id})
  RETURN decision, 0 AS worded, 0.0 AS score
  UNION ALL
  WITH $query AS query
  WHERE query <> ''
  CALL db.index.fulltext.queryNodes('decided_words', query, {limit: $limit}) YIELD node, score
  WHERE score > 0 AND node.namespace = $namespace
  RETURN node AS decision, 1 AS worded, score
}
WITH decision, worded
ORDER BY worded, score DESC, decision.id
WITH collect(DISTINCT decision) AS proposed, sum(worded) AS words
CALL (proposed) {
  UNWIND proposed AS decision
  RETURN decision, null AS replaced
  UNION ALL
  UNWIND proposed AS matched
  WITH matched
  WHERE coalesce(matched.status, '') <> 'active'
  MATCH (matched)<-[:SUPERSEDES*1..]-(successor:Decision {status: 'active'})
  RETURN DISTINCT successor AS decision, matched.id AS replaced
}
WITH words, decision, collect(replaced) AS replaced
// One row for all of them: a row for each costs the driver several times as much as the search itself.
RETURN coalesce(max(words), 0) AS words, collect({
  id: decision.id,
  kind: CASE WHEN decision:Proposal THEN 'proposal' ELSE 'decision' END,
  // People write in Neo4j Browser, too: what they left out must not break a search.
  title: coalesce(decision.title, decision.name, ''),
  target: coalesce(decision.target, ''),
  rationale: left(coalesce(decision.rationale, ''), $preview),
  status: coalesce(decision.status, 'draft'),
  origin: coalesce(decision.origin, 'human'),
  created_at: toString(CASE
    WHEN decision.created_at IS :: ZONED DATETIME NOT NULL THEN datetime({datetime: decision.created_at, timezone: '+00:00'})
    ELSE datetime({epochSeconds: 0})
  END),
  revision: coalesce(decision.revision, 0),
  superseded_by: head(COLLECT {
    MATCH (decision)<-[:SUPERSEDES]-(successor:Decision)
    RETURN successor.id ORDER BY successor.created_at DESC, successor.id LIMIT 1
  }),
  replaced: replaced
}) AS candidates
