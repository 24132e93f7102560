// Puts back what operations retracted or overwrote: records, properties and relations; marks the operations as undone.
// write
// $namespace STRING: the caller's namespace
// $changes LIST<STRING>: ids of the changes that are undone
// $reason STRING: why
// $change MAP<ANY>: the entry of the audit trail
MERGE (who:Principal {namespace: $namespace, name: $change.by})
CREATE (who)-[:DID]->(change:Change $change)
SET change.reason = $reason, change.undoes = $changes
WITH change
CALL (change) {
  UNWIND $changes AS id
  MATCH (undone:Change {namespace: $namespace, id: id})
  SET undone.undone_by = change.id
  WITH undone
  UNWIND coalesce(undone.undoes, []) AS before
  MATCH (again:Change {namespace: $namespace, id: before})
  SET again.undone_by = null
}
// First what was overwritten: a decision that gives up its target does so before another one takes it.
CALL (change) {
  UNWIND $changes AS id
  MATCH (undone:Change {namespace: $namespace, id: id})-[was:WAS]->(n)
  WHERE NOT n:Retracted
  WITH change, n, was, undone ORDER BY undone.at
  WITH change, n, head(collect(was)) AS was, collect(undone.id) AS ids
  CREATE (change)-[:CHANGED]->(n)
  CREATE (change)-[before:WAS]->(n)
  SET before = properties(n), before.former_labels = [label IN labels(n) WHERE label <> 'Unprojected']
  WITH change, n, was, ids, n.revision AS revision,
    [label IN labels(n) WHERE NOT label IN coalesce(was.former_labels, labels(n)) AND label <> 'Unprojected'] AS added
  // The projector removes the point of a passage that is one no longer, and stores that of one that changes.
  FOREACH (_ IN CASE WHEN n:Passage THEN [1] ELSE [] END |
    MERGE (:Tombstone {namespace: $namespace, kind: 'passage', key: n.id})
  )
  SET n = properties(was), n.revision = coalesce(revision, 0) + 1
  SET n:$(coalesce(was.former_labels, []))
  REMOVE n.former_labels, n:Unprojected, n:$(added)
  FOREACH (_ IN CASE WHEN n:Passage THEN [1] ELSE [] END | SET n:Unprojected)
  WITH change, n, ids
  WHERE n:Entry
  CALL (change, n) {
    MATCH (part:Passage)-[:PASSAGE_OF]->(n)
    MERGE (:Tombstone {namespace: $namespace, kind: 'passage', key: part.id})
    SET part.former_until = change.at, part.former_change = change.id, part:FormerPassage
    REMOVE part:Passage:Unprojected:Reindex
  }
  CALL (change, n) {
    MATCH (n)-[mention:MENTIONS]->(entity)
    CREATE (n)-[former:FORMER]->(entity)
    SET former = properties(mention), former.former_type = 'MENTIONS', former.former_until = change.at,
      former.former_change = change.id
    DELETE mention
  }
  MATCH (former:FormerPassage)-[:PASSAGE_OF]->(n)
  WHERE former.former_change IN ids
  WITH former, coalesce(former.is_copy, false) AS is_copy
  CALL (former, is_copy) {
    WITH former, is_copy
    WHERE is_copy
    DETACH DELETE former
  }
  CALL (former, is_copy) {
    WITH former, is_copy
    WHERE NOT is_copy
    SET former:Passage:Unprojected, former.revision = coalesce(former.revision, 0) + 1
    REMOVE former:FormerPassage, former.former_until, former.former_change
  }
}
CALL (change) {
  UNWIND $changes AS id
  MATCH (:Change {namespace: $namespace, id: id})-[:CHANGED]->(record:Retracted {retracted_in: id})
  WITH DISTINCT change, record, id
  CREATE (change)-[:CHANGED {created: true}]->(record)
  SET record:$(record.retracted_from)
  // One that has expired, or that is to be replaced later, does not hold its target.
  FOREACH (_ IN CASE WHEN record:Decision AND record.status = 'active' AND record.superseded_from IS NULL
    AND coalesce(record.valid_until > change.at, true) THEN [1] ELSE [] END |
    SET record.active_target = record.target_key
  )
  FOREACH (_ IN CASE WHEN record:Decision OR record:Proposal AND record.status <> 'rejected' THEN [1] ELSE [] END |
    REMOVE record.content_key
  )
  FOREACH (_ IN CASE WHEN record:Passage THEN [1] ELSE [] END |
    SET record:Unprojected, record.revision = coalesce(record.revision, 0) + 1
  )
  REMOVE record:Retracted, record.retracted_from, record.retracted_at, record.retracted_by, record.retracted_in,
    record.retracted_reason
  WITH record, id, 'Alias' IN labels(record) AND record:Entity AS merged
  FOREACH (_ IN CASE WHEN merged THEN [1] ELSE [] END | REMOVE record:Alias)
  WITH record, id, merged
  CALL (record, merged) {
    MATCH (record)-[alias:ALIAS_OF]->()
    WHERE merged
    DELETE alias
  }
  MATCH (passage:Retracted {namespace: $namespace, record: record.node_id})
  WHERE passage.retracted_in = id
  SET passage:Passage:Unprojected, passage.revision = coalesce(passage.revision, 0) + 1
  REMOVE passage:Retracted, passage.retracted_from, passage.retracted_in, passage.retracted_at
}
CALL (change) {
  UNWIND $changes AS id
  MATCH (:Change {namespace: $namespace, id: id})-[:CHANGED]->(one)-[former:FORMER {former_change: id}]-()
  WITH DISTINCT change, former, startNode(former) AS source, endNode(former) AS target
  // The relation of a record that is still retracted comes back with that record.
  FOREACH (gone IN [each IN [source, target] WHERE each:Retracted | each][..1] |
    SET former.former_change = gone.retracted_in
  )
  WITH change, former, source, target
  WHERE NOT source:Retracted AND NOT target:Retracted
  CALL (change, former, source, target) {
    MATCH (source)-[current]->(target)
    WHERE type(current) = former.former_type AND current.edge_id = former.edge_id
    CREATE (source)-[replaced:FORMER]->(target)
    SET replaced = properties(current), replaced.former_type = type(current), replaced.former_until = change.at,
      replaced.former_change = change.id
    DELETE current
  }
  MERGE (change)-[:CHANGED]->(source)
  MERGE (change)-[:CHANGED]->(target)
  CREATE (source)-[restored:$(former.former_type)]->(target)
  SET restored = properties(former), restored.restored_operation = change.operation
  REMOVE restored.former_type, restored.former_until, restored.former_change
  DELETE former
}
RETURN change.id AS change_id
