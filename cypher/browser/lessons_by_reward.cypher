// Lessons by reward.
// Episodes with their reward and lesson, the lowest reward first, and the things that they are about.
WITH 'default' AS namespace
MATCH (episode:Episode {namespace: namespace})
RETURN episode.reward AS reward, episode.query AS tried, episode.reflection AS learned,
       [(episode)-[:MENTIONS]->(entity:Entity) | entity.name] AS about, episode.created_at AS at
ORDER BY reward, at DESC
LIMIT 50
