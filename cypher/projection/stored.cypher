// Returns one page of a namespace's records of one kind, in the order of their ids.
// read
// $kind STRING: the kind
// $namespace STRING: the namespace
// $after STRING: id of the last record of the page before; empty for the first page
// $limit INTEGER: how many at most
CALL () {
  MATCH (n:Decision) WHERE $kind = 'decision' AND n.namespace = $namespace AND n.id > $after
  RETURN n ORDER BY n.namespace, n.id LIMIT $limit
  UNION ALL
  MATCH (n:Proposal) WHERE $kind = 'proposal' AND n.namespace = $namespace AND n.id > $after
  RETURN n ORDER BY n.namespace, n.id LIMIT $limit
  UNION ALL
  MATCH (n:Passage) WHERE $kind = 'passage' AND n.namespace = $namespace AND n.id > $after
  RETURN n ORDER BY n.namespace, n.id LIMIT $limit
}
RETURN elementId(n) AS element, toString(n.id) AS key, coalesce(toIntegerOrNull(n.revision), 0) AS revision, n:Unprojected AS queued
