// Web of decisions.
// What decisions are about, mention, require and replace, without what nearly all of them mention.
WITH 'default' AS namespace, ['Precedent'] AS left_out
MATCH relation = (decision:Decision {namespace: namespace})-[kind]->(other:Entity|Decision)
WHERE NOT other.name IN left_out AND type(kind) <> 'DECIDED_BY'
RETURN relation
LIMIT 200
