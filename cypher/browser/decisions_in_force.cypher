// Decisions in force.
// The newest hundred decisions in force, and the things that they are about.
WITH 'default' AS namespace
MATCH (decision:Decision {namespace: namespace, status: 'active'})
WITH decision ORDER BY decision.created_at DESC LIMIT 100
MATCH about = (decision)-[:ABOUT]->(:Entity)
RETURN about
