// Recently superseded.
// Superseded decisions and their successors, with author, time and reason.
WITH 'default' AS namespace
MATCH (new:Decision {namespace: namespace})-[replaced:SUPERSEDES]->(old:Decision)
RETURN old.target AS target, old.title AS was, new.title AS became, replaced.reason AS why, replaced.by AS by,
       replaced.at AS at
ORDER BY at DESC
LIMIT 100
