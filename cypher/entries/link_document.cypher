// Connects the entry of a document to its source, to the entry it replaces, and to the run of ingestion.
// write
// $namespace STRING: the caller's namespace
// $id STRING: the entry's id
// $uri STRING: address of the document
// $name STRING: name of the document for people
// $old STRING: id of the entry that it replaces, or null
// $reason STRING: why it replaces it
// $by STRING: name of the principal who ingests it
// $run STRING: id of the run of ingestion, or null
MATCH (entry:Entry {namespace: $namespace, id: $id})
MATCH (source:Source {namespace: $namespace, uri: $uri})
CREATE (entry)-[:FROM]->(source)
SET source.name = $name, source.location = $uri, source.digest = entry.hash, source.state = 'done',
  source.read_at = datetime()
REMOVE source.gone_at, source.gone_by
WITH entry, source
CALL (entry) {
  MATCH (old:Entry {namespace: $namespace, id: $old})
  CREATE (entry)-[:SUPERSEDES {reason: $reason, at: entry.created_at, by: $by}]->(old)
}
CALL (source) {
  MATCH (run:IngestRun {namespace: $namespace, id: $run})
  MERGE (source)-[:PART_OF_RUN]->(run)
}
