// Marks a chunk of a file in the ledger as written, in one transaction with its rows.
// write
// $namespace STRING: the caller's namespace
// $uri STRING: address of the file
// $chunk STRING: digest of the chunk
MATCH (source:Source {namespace: $namespace, uri: $uri})
SET source.chunks = source.chunks + $chunk
