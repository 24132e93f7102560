// Says where a document's entry comes from, what it replaces, and which run read it.
// write
// $namespace STRING: the caller's namespace
// $id STRING: the entry's id
// $uri STRING: where the document is
// $name STRING: what people call it
// $old STRING: id of the entry that it replaces, or null
// $reason STRING: why it replaces it
// $by STRING: name of the principal who brings it
// $run STRING: id of the run of ingestion, or null
MATCH (entry:Entry {namespace: $namespace, id: $id})
MATCH (source:Source {namespace: $namespace, uri: $uri})
CREATE (entry)-[:FROM]->(source)
SET source.name = $name, source.location = $uri, source.digest = entry.hash, source.state = 'done',
  source.read_at = datetime()
WITH entry, source
CALL (entry) {
  MATCH (old:Entry {namespace: $namespace, id: $old})
  CREATE (entry)-[:SUPERSEDES {reason: $reason, at: entry.created_at, by: $by}]->(old)
}
CALL (source) {
  MATCH (run:IngestRun {namespace: $namespace, id: $run})
  MERGE (source)-[:PART_OF_RUN]->(run)
}
