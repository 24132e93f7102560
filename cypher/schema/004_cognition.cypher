// Cognition: dialogues, insights, working memory and episodes.
CREATE CONSTRAINT dialogue_id IF NOT EXISTS
FOR (dialogue:Dialogue) REQUIRE (dialogue.namespace, dialogue.id) IS UNIQUE;

CREATE CONSTRAINT episode_id IF NOT EXISTS
FOR (episode:Episode) REQUIRE (episode.namespace, episode.id) IS UNIQUE;

CREATE CONSTRAINT working_memory_namespace IF NOT EXISTS
FOR (memory:WorkingMemory) REQUIRE memory.namespace IS UNIQUE;

CREATE CONSTRAINT working_item_id IF NOT EXISTS
FOR (item:WorkingItem) REQUIRE (item.namespace, item.id) IS UNIQUE;

CREATE CONSTRAINT stale_item_id IF NOT EXISTS
FOR (item:StaleItem) REQUIRE (item.namespace, item.id) IS UNIQUE;

// Resources are read in the order of an index; id orders records of the same time.
CREATE INDEX dialogue_order IF NOT EXISTS
FOR (dialogue:Dialogue) ON (dialogue.namespace, dialogue.created_at, dialogue.id, dialogue.speaker);

CREATE INDEX dialogue_session IF NOT EXISTS
FOR (dialogue:Dialogue)
ON (dialogue.namespace, dialogue.session_id, dialogue.created_at, dialogue.id, dialogue.speaker);

CREATE INDEX insight_order IF NOT EXISTS
FOR (insight:Insight) ON (insight.namespace, insight.created_at, insight.id);

CREATE INDEX stale_item_order IF NOT EXISTS
FOR (item:StaleItem) ON (item.namespace, item.archived_at, item.id);

// Passages belong to records of any family: `record` is the record's id, and their session has a tag.
DROP INDEX passage_place IF EXISTS;

CREATE INDEX passage_session IF NOT EXISTS
FOR (passage:Passage) ON (passage.namespace, passage.session, passage.place);

MATCH (passage:Passage)
WHERE passage.record IS NULL AND passage.entry IS NOT NULL
SET
  passage.record = passage.entry,
  passage.session = head([word IN split(passage.scope, ' ') WHERE word STARTS WITH 'session']),
  passage.scope = replace(passage.scope, ' entry', ' record'),
  // Qdrant holds these words as well.
  passage.revision = passage.revision + 1,
  passage:Unprojected
REMOVE passage.entry;
