// Replaces the passages of decisions and proposals, unless another process has done so.
// write
// $decisions LIST<MAP>: element of each, node_id (fresh where it has none), and the properties of its passages
UNWIND $decisions AS each
MATCH (n) WHERE elementId(n) = each.element AND (n:Reindex OR n:Unprojected)
// Removing a label locks the node.
REMOVE n:Reindex:Unprojected
SET n.node_id = coalesce(n.node_id, each.node_id)
WITH n, each
CALL (n) {
  MATCH (old:Passage)-[:PASSAGE_OF]->(n)
  MERGE (:Tombstone {namespace: old.namespace, kind: 'passage', key: old.id})
  DETACH DELETE old
}
CALL (n, each) {
  UNWIND each.passages AS properties
  CREATE (passage:Passage:Unprojected)-[:PASSAGE_OF]->(n)
  SET passage = properties
}
RETURN count(n) AS done
