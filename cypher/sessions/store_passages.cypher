// Stores the passages of several records, queued for projection.
// write
// $passages LIST<MAP>: element (element id of the record) and properties of each
UNWIND $passages AS passage
MATCH (record) WHERE elementId(record) = passage.element
CREATE (each:Passage:Unprojected)-[:PASSAGE_OF]->(record)
SET each = passage.properties
