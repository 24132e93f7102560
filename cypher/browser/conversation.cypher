// A conversation.
// What was said in it, with the contexts, sources and corrections of each message.
WITH 'default' AS namespace, 'talk' AS conversation
MATCH said = (:Session {namespace: namespace, id: conversation})<-[:IN]-(message:Message)
OPTIONAL MATCH knew = (message)-[:IN]->(:Context)
OPTIONAL MATCH source = (message)-[:EVIDENCED_BY]->(:Attribution)
OPTIONAL MATCH corrected = (message)<-[:CORRECTS]-(:Correction)
RETURN said, knew, source, corrected
LIMIT 300
