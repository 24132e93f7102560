// Messages are found by passages, like all that was said (docs/decisions/0016).
DROP INDEX message_words IF EXISTS;

// Those that were stored before have the property `scope` still. The journal makes their passages, in its own time.
CREATE INDEX message_scope IF NOT EXISTS
FOR (message:Message) ON (message.scope);
