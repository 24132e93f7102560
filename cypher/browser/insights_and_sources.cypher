// Insights and sources.
// The dialogues from which insights were distilled, and the things that they mention; newest first.
WITH 'default' AS namespace
MATCH (insight:Insight {namespace: namespace})
WITH insight ORDER BY insight.created_at DESC LIMIT 20
OPTIONAL MATCH source = (insight)-[:DISTILLED_FROM]->(:Dialogue)
OPTIONAL MATCH about = (insight)-[:DESCRIBED_BY|MENTIONS]-(:Entity)
RETURN insight, source, about
