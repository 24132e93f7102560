// Tells of each candidate what the graph knows, and adds the decision in force that replaced it, over any number of steps.
// read
// $namespace STRING: the caller's namespace
// $ids LIST<STRING>: ids of the candidates
// $preview INTEGER: how many characters of the rationale
UNWIND $ids AS id
MATCH (decision:Decision {namespace: $namespace, id: id})
WITH collect(decision) AS proposed
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
WITH decision, collect(replaced) AS replaced
// One row for all of them: a row for each costs the driver several times as much as the search itself.
RETURN collect({
  id: decision.id,
  // People write in Neo4j Browser, too: what they left out must not break a search.
  title: coalesce(decision.title, decision.name, ''),
  target: coalesce(decision.target, ''),
  rationale: left(coalesce(decision.rationale, ''), $preview),
  status: coalesce(decision.status, 'draft'),
  origin: coalesce(decision.origin, 'human'),
  created_at: toString(CASE
    WHEN decision.created_at IS :: ZONED DATETIME THEN datetime({datetime: decision.created_at, timezone: '+00:00'})
    ELSE datetime({epochSeconds: 0})
  END),
  revision: coalesce(decision.revision, 0),
  superseded_by: head(COLLECT {
    MATCH (decision)<-[:SUPERSEDES]-(successor:Decision)
    RETURN successor.id ORDER BY successor.created_at DESC, successor.id LIMIT 1
  }),
  replaced: replaced
}) AS candidates
