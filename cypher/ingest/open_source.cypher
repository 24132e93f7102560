// Notes in the ledger that a file of many records is being written; the chunks that were written before stay known.
// write
// $namespace STRING: the caller's namespace
// $uri STRING: where the file is
// $name STRING: the file's name
// $kind STRING: what its records are
// $run STRING: id of the run
MATCH (run:IngestRun {namespace: $namespace, id: $run})
MERGE (source:Source {namespace: $namespace, uri: $uri})
ON CREATE SET source.name = $name, source.kind = $kind, source.first_read_at = datetime(), source.chunks = []
SET source.state = 'reading'
MERGE (source)-[:PART_OF_RUN]->(run)
