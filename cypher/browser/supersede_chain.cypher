// Supersede chain.
// What was decided about one target over time, and what replaced what.
WITH 'default' AS namespace, 'MCP framework' AS target
MATCH about = (decision:Decision {namespace: namespace, target: target})-[:ABOUT]->(:Entity)
OPTIONAL MATCH replaced = (decision)-[:SUPERSEDES]->(:Decision)
RETURN about, replaced
