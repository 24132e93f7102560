// Tells of each candidate what the graph knows, and adds the decision in force that replaced it, over any number of steps.
// read
// $namespace STRING: the caller's namespace
// $ids LIST<STRING>: ids of the candidates
// $preview INTEGER: how many characters of the rationale
UNWIND $ids AS id
MATCH (matched:Decision {namespace: $namespace, id: id})
CALL (matched) {
  RETURN matched AS decision, null AS replaced
  UNION
  WITH matched
  WHERE coalesce(matched.status, '') <> 'active'
  MATCH (matched)<-[:SUPERSEDES*1..]-(successor:Decision {status: 'active'})
  RETURN DISTINCT successor AS decision, matched.id AS replaced
}
WITH decision, collect(replaced) AS replaced
RETURN
  decision.id AS id,
  // People write in Neo4j Browser, too: what they left out must not break a search.
  coalesce(decision.title, decision.name, '') AS title,
  coalesce(decision.target, '') AS target,
  left(coalesce(decision.rationale, ''), $preview) AS rationale,
  coalesce(decision.status, 'draft') AS status,
  coalesce(decision.origin, 'human') AS origin,
  coalesce(decision.created_at, datetime({epochSeconds: 0})) AS created_at,
  coalesce(decision.revision, 0) AS revision,
  head(COLLECT {
    MATCH (decision)<-[:SUPERSEDES]-(successor:Decision)
    RETURN successor.id ORDER BY successor.created_at DESC, successor.id LIMIT 1
  }) AS superseded_by,
  replaced
