// Completes passages of an older release, and adds the passage for the record as a whole.
// write
// $namespace STRING: the namespace
// $passages LIST<MAP>: the id of each, and the properties to set
// $whole LIST<MAP>: properties of the missing passage for the whole; empty if it exists
// $beside STRING: id of a passage of the same record
UNWIND $passages AS each
MATCH (passage:Passage {namespace: $namespace, id: each.id})
// Removing the label takes the node's lock: of two processes that do this at once, the second one finds nothing to do.
REMOVE passage:Reindex
SET passage += each.properties, passage.revision = coalesce(passage.revision, 0) + 1, passage:Unprojected
WITH count(*) AS done
CALL () {
  UNWIND $whole AS properties
  MATCH (:Passage {namespace: $namespace, id: $beside})-[:PASSAGE_OF]->(record)
  WHERE NOT EXISTS { MATCH (record)<-[:PASSAGE_OF]-(:Passage {whole: true}) }
  CREATE (whole:Passage:Unprojected)-[:PASSAGE_OF]->(record)
  SET whole = properties
}
RETURN done
