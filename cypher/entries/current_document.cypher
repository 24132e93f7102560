// Returns the current entry of a document in a project, if there is one.
// read
// $namespace STRING: the caller's namespace
// $project STRING: name of the project
// $uri STRING: where the document is
MATCH (entry:Entry {namespace: $namespace, project: $project, current_source: $uri})
RETURN entry.id AS id, entry.hash AS hash
