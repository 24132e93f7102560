// Deletes passages whose record is gone, and their points.
// write
// $elements LIST<STRING>: their element ids
UNWIND $elements AS element
MATCH (passage:Passage) WHERE elementId(passage) = element AND NOT EXISTS { (passage)-[:PASSAGE_OF]->() }
MERGE (:Tombstone {namespace: passage.namespace, kind: 'passage', key: passage.id})
DETACH DELETE passage
