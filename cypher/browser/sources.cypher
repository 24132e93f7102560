// Sources.
// The ledger of ingestion: which files were read, and whether they were ingested completely.
WITH 'default' AS namespace
MATCH (source:Source {namespace: namespace})
RETURN source.name AS name, source.kind AS kind, source.state AS state, properties(source).records AS records,
       properties(source).set_aside AS set_aside, source.read_at AS read_at, source.uri AS uri
ORDER BY read_at DESC, name
LIMIT 200
