// Decisions in force.
// The newest hundred decisions in force, and the things that they are about.
WITH 'default' AS namespace
MATCH (decision:Decision {namespace: namespace, status: 'active'})
WHERE coalesce(decision.valid_until > datetime(), true) AND coalesce(decision.superseded_from > datetime(), true)
WITH decision ORDER BY decision.created_at DESC LIMIT 100
MATCH about = (decision)-[:ABOUT]->(:Entity)
RETURN about
