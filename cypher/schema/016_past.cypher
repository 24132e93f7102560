// The past: changes of a principal, decisions of an author, passages of entries that are no longer current.
CREATE INDEX change_by IF NOT EXISTS
FOR (change:Change) ON (change.namespace, change.by, change.at);

CREATE INDEX decision_author IF NOT EXISTS
FOR (decision:Decision) ON (decision.namespace, decision.created_by, decision.created_at);

// This label is now reserved: agents' own entities with this label lose the native label.
MATCH (entity:Entity:FormerPassage)
SET entity.label = coalesce(entity.label, 'FormerPassage')
REMOVE entity:FormerPassage;

CREATE INDEX former_passage_id IF NOT EXISTS
FOR (passage:FormerPassage) ON (passage.namespace, passage.id);

CREATE INDEX former_passage_record IF NOT EXISTS
FOR (passage:FormerPassage) ON (passage.namespace, passage.record);

// A search of the past finds what is no longer in the index of passages by its words.
CREATE FULLTEXT INDEX former_words IF NOT EXISTS
FOR (n:Retracted|FormerPassage) ON EACH [n.words, n.around, n.scope, n.at]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'english', `fulltext.eventually_consistent`: false}};

// Entries that are one passage each still have its words. The passages of longer ones were deleted.
MATCH (entry:Entry)
WHERE entry.status = 'superseded' AND entry.words IS NOT NULL AND entry.former_until IS NULL AND NOT entry:Passage
SET entry:FormerPassage;
