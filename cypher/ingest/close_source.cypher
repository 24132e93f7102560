// Marks a file of many records in the ledger as completely written.
// write
// $namespace STRING: the caller's namespace
// $uri STRING: address of the file
// $digest STRING: digest of the file's bytes
// $chunks LIST<STRING>: digests of all its chunks, only for triples
// $records INTEGER: records in it
// $set_aside INTEGER: records that were set aside
MATCH (source:Source {namespace: $namespace, uri: $uri})
SET source.state = 'done', source.digest = $digest, source.chunks = $chunks, source.records = $records,
  source.set_aside = $set_aside, source.read_at = datetime()
