// Returns what the ledger stores about a file of many records.
// read
// $namespace STRING: the caller's namespace
// $uri STRING: address of the file
MATCH (source:Source {namespace: $namespace, uri: $uri})
RETURN
  source.state AS state,
  source.digest AS digest,
  source.chunks AS chunks,
  source.records AS records,
  source.set_aside AS set_aside
