// Returns a page of a namespace's records of one kind, ordered by id.
// read
// $kind STRING: the kind
// $namespace STRING: the namespace
// $after STRING: id of the last record of the previous page; empty for the first page
// $limit INTEGER: the greatest number of rows
CALL () {
  MATCH (n:Passage) WHERE $kind = 'passage' AND n.namespace = $namespace AND n.id > $after
  RETURN n ORDER BY n.namespace, n.id LIMIT $limit
}
RETURN
  elementId(n) AS element,
  toString(n.id) AS key,
  coalesce(toIntegerOrNull(n.revision), 0) AS revision,
  n:Unprojected AS queued,
  // A person who deletes a record by hand leaves its passages.
  n.record IS NOT NULL AND size(labels(n)) = 1 + toInteger(n:Unprojected) + toInteger(n:Reindex) AND NOT EXISTS { (n)-[:PASSAGE_OF]->() } AS stranded
