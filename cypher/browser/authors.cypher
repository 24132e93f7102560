// Authors.
// The number of decisions of each author, and how many of them are in force.
WITH 'default' AS namespace
MATCH (decision:Decision {namespace: namespace})
WITH decision.created_by AS author, decision
ORDER BY decision.created_at DESC
RETURN author, count(*) AS decisions, count(CASE WHEN decision.status = 'active' THEN 1 END) AS in_force,
       collect(decision.title)[..5] AS latest
ORDER BY decisions DESC, author
LIMIT 100
