// Returns which kinds of record there are in which namespaces, and how many.
// read
CALL () {
  MATCH (n:Decision) WHERE n.namespace IS NOT NULL AND n.id IS NOT NULL RETURN 'decision' AS kind, n.namespace AS namespace
  UNION ALL
  MATCH (n:Proposal) WHERE n.namespace IS NOT NULL AND n.id IS NOT NULL RETURN 'proposal' AS kind, n.namespace AS namespace
  UNION ALL
  MATCH (n:Passage) WHERE n.namespace IS NOT NULL AND n.id IS NOT NULL RETURN 'passage' AS kind, n.namespace AS namespace
}
RETURN kind, namespace, count(*) AS records
ORDER BY kind, namespace
