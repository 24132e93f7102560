// Returns the current entries of documents in a project; documents without one have no row.
// read
// $namespace STRING: the caller's namespace
// $project STRING: name of the project
// $uris LIST<STRING>: addresses of the documents
UNWIND $uris AS uri
MATCH (entry:Entry {namespace: $namespace, project: $project, current_source: uri})
RETURN uri, entry.id AS id, entry.hash AS hash
