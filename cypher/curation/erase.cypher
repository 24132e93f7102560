// Deletes records and relations with everything that repeats their text; who, when and why remain.
// write
// $namespace STRING: the caller's namespace
// $records LIST<STRING>: element ids of the records
// $relations LIST<STRING>: element ids of the relations
// $neighbours LIST<MAP>: the id of each passage that has words of them around it, and `around` without these
// $id STRING: id of the erasure
// $name STRING: what was erased, without its text
// $reason STRING: why
// $change MAP<ANY>: the entry of the audit trail
MERGE (who:Principal {namespace: $namespace, name: $change.by})
CREATE (who)-[:DID]->(change:Change $change)
SET change.reason = $reason
WITH change
CREATE (change)-[:CHANGED {created: true}]->(:Erasure {
  namespace: $namespace, id: $id, name: $name, reason: $reason, erased_at: change.at, erased_by: change.by
})
WITH change
CALL () {
  UNWIND $neighbours AS each
  MATCH (passage:Passage {namespace: $namespace, id: each.id})
  SET passage.around = each.around
}
CALL () {
  UNWIND $relations AS element
  MATCH (source)-[edge]->(target) WHERE elementId(edge) = element
  CALL (source, target, edge) {
    MATCH (source)-[former:FORMER {edge_id: edge.edge_id}]->(target)
    DELETE former
  }
  DELETE edge
  RETURN count(*) AS relations
}
CALL () {
  UNWIND $records AS element
  MATCH (record) WHERE elementId(record) = element AND record.namespace = $namespace
  CALL (record) {
    // A summary may repeat what is erased: it goes as well, and can be made again.
    MATCH (record)-[:IN]->(session:Session)<-[:SUMMARISES]-(summary:Summary)
    WHERE record:Interaction OR 'Interaction' IN record.retracted_from
    CALL (summary) {
      MATCH (part:Passage)-[:PASSAGE_OF]->(summary)
      MERGE (:Tombstone {namespace: $namespace, kind: 'passage', key: part.id})
      DETACH DELETE part
    }
    DETACH DELETE summary
    RETURN count(*) AS summaries
  }
  CALL (record) {
    // A correction repeats what it corrects, and a repeated call the first answer.
    MATCH (correction:Correction)-[link:CORRECTS|FORMER]->(record)
    SET correction.original_value = '[erased]'
  }
  CALL (record) {
    MATCH (earlier:Change)-[:CHANGED]->(record)
    REMOVE earlier.answer
    WITH earlier
    MATCH (part:Change {namespace: $namespace, operation: earlier.operation})
    REMOVE part.answer
  }
  CALL (record) {
    // Passages of the same session that are no longer current may have its words around theirs.
    MATCH (record)-[:IN]->(:Session)<-[:IN]-(other)
    WHERE other <> record
    CALL (other) {
      RETURN other AS near
      UNION
      MATCH (near:FormerPassage)-[:PASSAGE_OF]->(other) RETURN near
      UNION
      MATCH (near:Retracted)-[:PASSAGE_OF]->(other) RETURN near
    }
    WITH other, near
    WHERE (near:FormerPassage OR near:Retracted) AND near.around IS NOT NULL
    SET near.around = ''
  }
  CALL (record) {
    MATCH (record)-[:IN]->(:Session)<-[:IN]-(other)<-[was:WAS]-(:Change)
    WHERE was.around IS NOT NULL
    SET was.around = ''
  }
  CALL (record) {
    MATCH (before)-[:NEXT]->(record)-[:NEXT]->(after)
    CREATE (before)-[:NEXT]->(after)
  }
  CALL (record) {
    CALL (record) {
      MATCH (passage:Passage {namespace: $namespace, record: record.node_id}) RETURN passage
      UNION
      MATCH (passage:Retracted {namespace: $namespace, record: record.node_id}) RETURN passage
      UNION
      MATCH (passage:FormerPassage {namespace: $namespace, record: record.node_id}) RETURN passage
    }
    MERGE (:Tombstone {namespace: $namespace, kind: 'passage', key: passage.id})
    WITH record, passage
    WHERE passage <> record
    DETACH DELETE passage
  }
  DETACH DELETE record
  RETURN count(*) AS records, sum(summaries) AS summaries
}
RETURN change.id AS change_id, records, relations, summaries
