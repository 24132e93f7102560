// Returns the texts that decisions and proposals are embedded by.
// read
// $namespace STRING: the caller's namespace
// $decisions LIST<STRING>: ids of decisions
// $proposals LIST<STRING>: ids of proposals
CALL () {
  MATCH (n:Decision {namespace: $namespace})
  WHERE n.id IN $decisions
  RETURN n
  UNION ALL
  MATCH (n:Proposal {namespace: $namespace})
  WHERE n.id IN $proposals
  RETURN n
}
RETURN n.id AS id, coalesce(n.title, '') + '\n' + coalesce(n.rationale, '') AS text
