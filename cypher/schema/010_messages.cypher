// Messages are found by passages (docs/decisions/0016).
DROP INDEX message_words IF EXISTS;

// Messages of earlier releases still have the property `scope`. The journal creates their passages in the background.
CREATE INDEX message_scope IF NOT EXISTS
FOR (message:Message) ON (message.scope);
