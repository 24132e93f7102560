// Writes the status, target and successor of decisions, as all records together determine them.
// write
// $namespace STRING: the caller's namespace
// $rows LIST<MAP>: id, status, target, its key, about (its entity), superseded_by, superseded_at, kept, verdict
UNWIND $rows AS row
MATCH (decision:Decision {namespace: $namespace, id: row.id})-[:FROM]->(source:Source {kind: 'decision'})
MATCH (about:Entity {namespace: $namespace, name: row.about})
// The target is one of the texts that a decision is found by.
FOREACH (moved IN CASE WHEN decision.target = row.target THEN [] ELSE [decision] END | SET moved:Reindex)
// A decision that was superseded in the service (`kept`) keeps its successor and its time.
SET decision.status = row.status,
  decision.target = row.target,
  decision.target_key = row.target_key,
  decision.active_target = CASE row.status WHEN 'active' THEN row.target_key END,
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
