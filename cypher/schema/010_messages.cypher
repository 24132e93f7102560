// Messages are found by passages, like all that was said (docs/decisions/0016).
DROP INDEX message_words IF EXISTS;

// What was stored before is found as it was: whole, and by its own words. The property `scope` says which those are.
MATCH (message:Message)
WHERE message.scope IS NOT NULL
MERGE (:Tombstone {namespace: message.namespace, kind: 'message', key: message.id})
WITH
  message,
  CASE WHEN message.speaker <> message.sender THEN message.speaker + ': ' ELSE '' END +
  CASE WHEN trim(message.message_content) = '' THEN message.message_type ELSE message.message_content END AS text
CREATE (:Passage:Unprojected {
  namespace: message.namespace,
  id: message.id,
  record: message.node_id,
  name: left(text, 80),
  text: text,
  words: text,
  around: text,
  scope: split(message.scope, ' ')[1] + ' record' + message.node_id,
  at: right('00000000000000' + message.created_at.epochMillis, 15),
  revision: 1
})-[:PASSAGE_OF]->(message)
REMOVE message.scope, message.speaker, message:Unprojected;
