// Entries: saved memories, their passages, their projects and sessions.
CREATE CONSTRAINT entry_id IF NOT EXISTS
FOR (entry:Entry) REQUIRE (entry.namespace, entry.id) IS UNIQUE;

CREATE CONSTRAINT entry_node_id IF NOT EXISTS
FOR (entry:Entry) REQUIRE (entry.namespace, entry.node_id) IS UNIQUE;

// A document has at most one current entry in a project.
CREATE CONSTRAINT entry_current_source IF NOT EXISTS
FOR (entry:Entry) REQUIRE (entry.namespace, entry.project, entry.current_source) IS UNIQUE;

// A timeline is read in the order of this index; node_id orders entries of the same millisecond.
CREATE INDEX entry_order IF NOT EXISTS
FOR (entry:Entry) ON (entry.namespace, entry.project, entry.created_at, entry.node_id);

CREATE CONSTRAINT entry_project_name IF NOT EXISTS
FOR (project:EntryProject) REQUIRE (project.namespace, project.name) IS UNIQUE;

CREATE CONSTRAINT session_id IF NOT EXISTS
FOR (session:Session) REQUIRE (session.namespace, session.id) IS UNIQUE;

CREATE CONSTRAINT audit_id IF NOT EXISTS
FOR (audit:Audit) REQUIRE (audit.namespace, audit.id) IS UNIQUE;

CREATE CONSTRAINT passage_id IF NOT EXISTS
FOR (passage:Passage) REQUIRE (passage.namespace, passage.id) IS UNIQUE;

// The last passages of a session, which a new passage follows.
CREATE INDEX passage_place IF NOT EXISTS
FOR (passage:Passage) ON (passage.namespace, passage.session_id, passage.project, passage.place);

// Texts and queries are stemmed. server/retrieval/passages.py decides what a text contains.
CREATE FULLTEXT INDEX passage_words IF NOT EXISTS
FOR (passage:Passage) ON EACH [passage.words, passage.around, passage.scope, passage.at]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'english', `fulltext.eventually_consistent`: false}};

// Names that a text mentions are looked up without case.
CREATE INDEX entity_name_key IF NOT EXISTS
FOR (entity:Entity) ON (entity.namespace, entity.name_key);

MATCH (entity:Entity)
WHERE entity.name_key IS NULL AND entity.name IS NOT NULL
SET entity.name_key = toLower(toStringOrNull(entity.name));
