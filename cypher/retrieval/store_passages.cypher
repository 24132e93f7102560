// Stores the passages of a record and queues them for projection.
// write
// $record STRING: element id of the record
// $passages LIST<MAP>: properties of each
MATCH (record) WHERE elementId(record) = $record
UNWIND $passages AS passage
CREATE (each:Passage:Unprojected)-[:PASSAGE_OF]->(record)
SET each = passage
