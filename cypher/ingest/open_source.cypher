// Marks a file of many records in the ledger as being written; chunks that were written before stay known.
// write
// $namespace STRING: the caller's namespace
// $uri STRING: address of the file
// $name STRING: the file's name
// $kind STRING: kind of its records
// $run STRING: id of the run
MATCH (run:IngestRun {namespace: $namespace, id: $run})
MERGE (source:Source {namespace: $namespace, uri: $uri})
ON CREATE SET source.name = $name, source.kind = $kind, source.first_read_at = datetime(), source.chunks = []
SET source.state = 'reading'
MERGE (source)-[:PART_OF_RUN]->(run)
