// A session in order.
// The memories of a session in order, and the things that each mentions.
WITH 'default' AS namespace, 'kickoff' AS session
MATCH saved = (:Session {namespace: namespace, id: session})<-[:IN]-(entry:Entry)
WITH saved, entry ORDER BY entry.created_at LIMIT 100
OPTIONAL MATCH next = (entry)-[:NEXT]->(:Entry)
OPTIONAL MATCH about = (entry)-[:MENTIONS]->(:Entity)
RETURN saved, next, about
