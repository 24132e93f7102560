// Current memories are stored once, and a repeated call is answered as the first time (docs/decisions/0027).
CREATE CONSTRAINT change_idempotency_key IF NOT EXISTS
FOR (change:Change) REQUIRE (change.namespace, change.by, change.name, change.idempotency_key) IS UNIQUE;

CREATE INDEX change_answered_at IF NOT EXISTS
FOR (change:Change) ON (change.namespace, change.answered_at);

// A current memory has these keys; one that is stored although it is a duplicate has its id after the hash. Memories of
// earlier releases have none and are not recognised.
CREATE CONSTRAINT entry_text_key IF NOT EXISTS
FOR (entry:Entry) REQUIRE (entry.namespace, entry.project, entry.text_key) IS UNIQUE;

CREATE CONSTRAINT entry_source_key IF NOT EXISTS
FOR (entry:Entry) REQUIRE (entry.namespace, entry.project, entry.source_key) IS UNIQUE;

CREATE INDEX entry_valid_until IF NOT EXISTS
FOR (entry:Entry) ON (entry.expires_at);
