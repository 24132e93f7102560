// Stale decisions.
// Decisions in force that nobody changed or linked to for half a year; the longest first.
WITH 'default' AS namespace, duration('P180D') AS long
MATCH (decision:Decision {namespace: namespace, status: 'active'})
CALL (decision) {
  OPTIONAL MATCH (decision)<-[:CHANGED]-(change:Change)
  RETURN max(change.at) AS changed
}
CALL (decision) {
  OPTIONAL MATCH (decision)--(other:Decision|Proposal|Entry|Insight|Message)
  RETURN max(other.created_at) AS linked
}
WITH long, decision, reduce(
  last = decision.created_at, at IN [changed, linked] | CASE WHEN at > last THEN at ELSE last END
) AS last
WHERE last < datetime() - long
RETURN decision.target AS target, decision.title AS title, last AS last_used, decision.created_by AS by,
       decision.id AS id
ORDER BY last_used
LIMIT 100
