// Returns the texts that decisions are embedded by.
// read
// $namespace STRING: the caller's namespace
// $ids LIST<STRING>: their ids
MATCH (decision:Decision {namespace: $namespace})
WHERE decision.id IN $ids
RETURN decision.id AS id, coalesce(decision.title, '') + '\n' + coalesce(decision.rationale, '') AS text
