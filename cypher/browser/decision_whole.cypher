// One decision in full.
// A decision with everything that it relates to, found by words of its title.
WITH 'default' AS namespace, 'authority' AS words
MATCH (decision:Decision {namespace: namespace})
WHERE toLower(decision.title) CONTAINS toLower(words)
RETURN decision.title AS title, decision.status AS status, decision.target AS target, decision.rationale AS rationale,
       decision.consequences AS consequences, decision.origin AS origin, decision.created_by AS by,
       decision.created_at AS at, decision.id AS id
ORDER BY at DESC
LIMIT 20
