// Takes records and relations out of every current answer; they stay as history with who, when and why.
// write
// $namespace STRING: the caller's namespace
// $records LIST<STRING>: element ids of the records
// $relations LIST<STRING>: element ids of the relations
// $bookkeeping LIST<STRING>: relationship types that stay as they are
// $content_keys MAP<STRING>: for the element id of a decision or proposal, the key that its rationale is compared by
// $reason STRING: why
// $change MAP<ANY>: the entry of the audit trail
MERGE (who:Principal {namespace: $namespace, name: $change.by})
CREATE (who)-[:DID]->(change:Change $change)
SET change.reason = $reason
WITH change
CALL (change) {
  UNWIND $relations AS element
  MATCH (source)-[edge]->(target) WHERE elementId(edge) = element
  CREATE (source)-[former:FORMER]->(target)
  SET former = properties(edge), former.former_type = type(edge), former.former_until = change.at,
    former.former_change = change.id
  DELETE edge
  MERGE (change)-[:CHANGED]->(source)
  MERGE (change)-[:CHANGED]->(target)
  RETURN count(*) AS relations
}
CALL (change) {
  UNWIND $records AS element
  MATCH (record) WHERE elementId(record) = element AND record.namespace = $namespace AND NOT record:Retracted
  CREATE (change)-[:CHANGED]->(record)
  WITH change, record
  CALL (change, record) {
    // What was to be replaced later holds on, and has its target again.
    MATCH (record)-[:SUPERSEDES]->(old:Decision)
    WHERE record:Decision AND record.active_target IS NOT NULL AND old.status = 'active'
      AND old.superseded_from > change.at
    CREATE (change)-[:CHANGED]->(old)
    CREATE (change)-[was:WAS]->(old)
    SET was = properties(old)
    REMOVE record.active_target, old.superseded_by, old.superseded_at, old.superseded_from
    SET old.active_target = old.target_key
  }
  CALL (change, record) {
    MATCH (record)-[edge]-(other)
    WHERE NOT type(edge) IN $bookkeeping
    WITH DISTINCT change, edge, startNode(edge) AS source, endNode(edge) AS target
    CREATE (source)-[former:FORMER]->(target)
    SET former = properties(edge), former.former_type = type(edge), former.former_until = change.at,
      former.former_change = change.id
    DELETE edge
  }
  CALL (change, record) {
    MATCH (passage:Passage {namespace: $namespace, record: record.node_id})
    // The projector removes its point from Qdrant.
    MERGE (:Tombstone {namespace: $namespace, kind: 'passage', key: passage.id})
    WITH change, record, passage
    WHERE passage <> record
    SET passage.retracted_from = ['Passage'], passage.retracted_in = change.id, passage.retracted_at = change.at
    REMOVE passage:Passage:Unprojected:Reindex
    SET passage:Retracted
  }
  SET record.retracted_from = [label IN labels(record) WHERE NOT label IN ['Unprojected', 'Reindex']],
    record.retracted_at = change.at, record.retracted_by = change.by, record.retracted_in = change.id,
    record.retracted_reason = $reason,
    // A memory that repeats it is recognised.
    record.content_key = coalesce($content_keys[elementId(record)], record.content_key)
  REMOVE record.active_target, record:$(labels(record))
  SET record:Retracted
  RETURN count(*) AS records
}
RETURN change.id AS change_id, records, relations
