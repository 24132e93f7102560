// Notes in the ledger that a file of triples is written whole.
// write
// $namespace STRING: the caller's namespace
// $uri STRING: where the file is
// $digest STRING: digest of the file's bytes
// $chunks LIST<STRING>: digests of all its chunks
// $records INTEGER: triples in it
// $set_aside INTEGER: records that were no triples
MATCH (source:Source {namespace: $namespace, uri: $uri})
SET source.state = 'done', source.digest = $digest, source.chunks = $chunks, source.records = $records,
  source.set_aside = $set_aside, source.read_at = datetime()
