// Notes in the ledger that a chunk of a file has been written; in one transaction with what it wrote.
// write
// $namespace STRING: the caller's namespace
// $uri STRING: where the file is
// $chunk STRING: digest of the chunk
MATCH (source:Source {namespace: $namespace, uri: $uri})
SET source.chunks = source.chunks + $chunk
