// Says which decisions are in force and what they are about, as all records together have it.
// write
// $namespace STRING: the caller's namespace
// $rows LIST<MAP>: id, status, target, superseded_by and superseded_at or null, kept (somebody superseded it), verdict
UNWIND $rows AS row
MATCH (decision:Decision {namespace: $namespace, id: row.id})-[:FROM]->(source:Source {kind: 'decision'})
MATCH (about:Entity {namespace: $namespace, name: row.target})
SET decision.status = row.status,
  decision.target = row.target,
  decision.active_target = CASE row.status WHEN 'active' THEN row.target END,
  decision.superseded_by = CASE WHEN row.kept THEN decision.superseded_by ELSE row.superseded_by END,
  decision.superseded_at = CASE WHEN row.kept THEN decision.superseded_at ELSE row.superseded_at END,
  source.verdict = row.verdict,
  source.state = 'linking'
WITH decision, about
OPTIONAL MATCH (decision)-[old:ABOUT]->(other)
  WHERE other <> about
DELETE old
WITH DISTINCT decision, about
MERGE (decision)-[:ABOUT]->(about)
