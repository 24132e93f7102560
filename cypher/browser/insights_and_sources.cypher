// Insights and sources.
// What insights were distilled from, and the things that they describe or mention; newest first.
WITH 'default' AS namespace
MATCH (insight:Insight {namespace: namespace})
WITH insight ORDER BY insight.created_at DESC LIMIT 20
OPTIONAL MATCH source = (insight)-[:DISTILLED_FROM]->(:Dialogue)
OPTIONAL MATCH about = (insight)-[:DESCRIBED_BY|MENTIONS]-(:Entity)
RETURN insight, source, about
