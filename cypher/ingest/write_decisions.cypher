// Writes what decision records say of themselves, and what the ledger is to remember of them.
// write
// $namespace STRING: the caller's namespace
// $scope STRING: the namespace's word in full-text indexes
// $rows LIST<MAP>: id, node_id (a fresh integer), created_at or null, decision (its properties), source (the ledger's)
// $run STRING: id of the run
MATCH (run:IngestRun {namespace: $namespace, id: $run})
UNWIND $rows AS row
MERGE (decision:Decision {namespace: $namespace, id: row.id})
ON CREATE SET decision.node_id = row.node_id, decision.origin = 'human', decision.scope = $scope
SET decision += row.decision
SET decision.created_at = coalesce(row.created_at, decision.created_at, datetime()),
  decision.revision = coalesce(decision.revision, 0) + 1,
  decision:Unprojected
MERGE (decision)-[:FROM]->(source:Source {namespace: $namespace, kind: 'decision'})
ON CREATE SET source.first_read_at = datetime()
SET source += row.source, source.read_at = datetime()
MERGE (source)-[:PART_OF_RUN]->(run)
