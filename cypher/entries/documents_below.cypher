// Returns the addresses of documents below a folder that have a current entry in a project.
// read
// $namespace STRING: the caller's namespace
// $project STRING: name of the project
// $folder STRING: the prefix of their addresses
MATCH (entry:Entry)
WHERE entry.namespace = $namespace AND entry.project = $project AND entry.current_source STARTS WITH $folder
RETURN entry.current_source AS uri
ORDER BY uri
