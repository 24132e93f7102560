// Returns the current entries of documents in a project, of those that have one.
// read
// $namespace STRING: the caller's namespace
// $project STRING: name of the project
// $uris LIST<STRING>: where the documents are
UNWIND $uris AS uri
MATCH (entry:Entry {namespace: $namespace, project: $project, current_source: uri})
RETURN uri, entry.id AS id, entry.hash AS hash
