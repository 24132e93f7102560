// Links decisions to exactly the records that they supersede.
// write
// $namespace STRING: the caller's namespace
// $rows LIST<MAP>: id, replaced (ids of the decisions that it supersedes)
UNWIND $rows AS row
MATCH (decision:Decision {namespace: $namespace, id: row.id})
CALL (decision, row) {
  MATCH (decision)-[stale:SUPERSEDES]->(old:Decision)
  WHERE NOT old.id IN row.replaced
  DELETE stale
}
WITH decision, row
UNWIND row.replaced AS id
MATCH (old:Decision {namespace: $namespace, id: id})
MERGE (decision)-[supersedes:SUPERSEDES]->(old)
SET supersedes.reason = left(decision.rationale, 500),
  supersedes.at = decision.created_at,
  supersedes.by = decision.created_by
