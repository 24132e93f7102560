// Humans and agents.
// The number of decisions of humans and of agents, and how many of them are in force.
WITH 'default' AS namespace
MATCH (decision:Decision {namespace: namespace})
RETURN decision.origin AS origin, count(*) AS decisions,
       count(CASE WHEN decision.status = 'active' THEN 1 END) AS in_force,
       count(CASE WHEN decision.status = 'superseded' THEN 1 END) AS superseded,
       max(decision.created_at) AS latest
ORDER BY decisions DESC
