// Lessons by reward.
// What was tried, how it went and what was learned, the worst first; and the things it was about.
WITH 'default' AS namespace
MATCH (episode:Episode {namespace: namespace})
RETURN episode.reward AS reward, episode.query AS tried, episode.reflection AS learned,
       [(episode)-[:MENTIONS]->(entity:Entity) | entity.name] AS about, episode.created_at AS at
ORDER BY reward, at DESC
LIMIT 50
