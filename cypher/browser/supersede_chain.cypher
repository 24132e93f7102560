// Supersede chain.
// The decisions about one target over time, and which one replaced which.
WITH 'default' AS namespace, 'MCP framework' AS target
MATCH about = (decision:Decision {namespace: namespace, target: target})-[:ABOUT]->(:Entity)
OPTIONAL MATCH replaced = (decision)-[:SUPERSEDES]->(:Decision)
RETURN about, replaced
