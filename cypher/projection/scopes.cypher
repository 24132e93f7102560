// Returns the number of projected records of each kind in each namespace.
// read
CALL () {
  MATCH (n:Passage) WHERE n.namespace IS NOT NULL AND n.id IS NOT NULL RETURN 'passage' AS kind, n.namespace AS namespace
}
RETURN kind, namespace, count(*) AS records
ORDER BY kind, namespace
