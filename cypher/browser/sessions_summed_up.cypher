// Session summaries.
// The summary of a session, its questions and answers in order, and the things that they mention.
WITH 'default' AS namespace
MATCH (collection:MemoryCollection {namespace: namespace, state: 'live'})
WITH namespace, collect(collection.id) AS live
MATCH came = (summary:Summary {namespace: namespace})-[:SUMMARISES]->(session:Session)
WHERE summary.collection IN live
WITH live, came, session ORDER BY summary.created_at DESC LIMIT 5
OPTIONAL MATCH said = (memory:Interaction)-[:IN]->(session)
WHERE memory.collection IN live
OPTIONAL MATCH next = (memory)-[:NEXT]->(:Interaction)
OPTIONAL MATCH about = (memory)-[:MENTIONS]->(:Entity)
RETURN came, said, next, about
LIMIT 200
