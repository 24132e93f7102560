// Writes the content of decision records, and what the ledger stores of them.
// write
// $namespace STRING: the caller's namespace
// $scope STRING: the namespace's tag in full-text indexes
// $rows LIST<MAP>: id, node_id (a fresh integer), created_at or null, decision (its properties), source (for the ledger)
// $run STRING: id of the run
MATCH (run:IngestRun {namespace: $namespace, id: $run})
UNWIND $rows AS row
MERGE (decision:Decision {namespace: $namespace, id: row.id})
ON CREATE SET decision.node_id = row.node_id, decision.origin = 'human', decision.scope = $scope
SET decision += row.decision
SET decision.created_at = coalesce(row.created_at, decision.created_at, datetime()),
  decision.revision = coalesce(decision.revision, 0) + 1,
  // Its passages are created again (cypher/decisions/reindex_decisions.cypher).
  decision:Reindex
MERGE (decision)-[:FROM]->(source:Source {namespace: $namespace, kind: 'decision'})
ON CREATE SET source.first_read_at = datetime()
SET source += row.source, source.read_at = datetime()
MERGE (source)-[:PART_OF_RUN]->(run)
