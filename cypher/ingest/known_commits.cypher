// Returns the hashes of commits that a project has as memories, the retracted ones included.
// read
// $namespace STRING: the caller's namespace
// $project STRING: name of the project
// $rows LIST<MAP>: hash, source (the commit's key in the ledger) and content_key of each commit
UNWIND $rows AS row
CALL (row) {
  MATCH (entry:Entry {namespace: $namespace, project: $project, current_source: row.source})
  RETURN entry
  UNION
  MATCH (entry:Retracted {namespace: $namespace, content_key: row.content_key})
  WHERE entry.project = $project AND entry.current_source = row.source
  RETURN entry
}
RETURN DISTINCT row.hash AS hash
