// A conversation.
// The messages of a conversation, with their contexts, sources and corrections.
WITH 'default' AS namespace, 'talk' AS conversation
MATCH said = (:Session {namespace: namespace, id: conversation})<-[:IN]-(message:Message)
OPTIONAL MATCH knew = (message)-[:IN]->(:Context)
OPTIONAL MATCH source = (message)-[:EVIDENCED_BY]->(:Attribution)
OPTIONAL MATCH corrected = (message)<-[:CORRECTS]-(:Correction)
RETURN said, knew, source, corrected
LIMIT 300
