// Every record has a vector besides those of its passages, and decisions are found by passages (docs/decisions/0020).
CREATE INDEX passage_record IF NOT EXISTS
FOR (passage:Passage) ON (passage.namespace, passage.record);

// All words of a record in one text, for decisions and proposals.
CREATE FULLTEXT INDEX record_words IF NOT EXISTS
FOR (passage:Passage) ON EACH [passage.all_words, passage.scope, passage.at]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'english', `fulltext.eventually_consistent`: false}};

DROP INDEX decided_words IF EXISTS;

// This label is now reserved: agents' own entities with this label lose the native label.
MATCH (entity:Entity:Reindex)
SET entity.label = coalesce(entity.label, 'Reindex')
REMOVE entity:Reindex;

// The service creates the passages of earlier records in the background (server/retrieval/reindexing.py).
MATCH (n:Decision|Proposal)
WHERE n.namespace IS NOT NULL AND n.id IS NOT NULL AND NOT EXISTS { MATCH (n)<-[:PASSAGE_OF]-(:Passage) }
MERGE (:Tombstone {namespace: n.namespace, kind: CASE WHEN n:Decision THEN 'decision' ELSE 'proposal' END, key: n.id})
SET n:Reindex
REMOVE n:Unprojected;

MATCH (passage:Passage)
WHERE passage.whole IS NULL
SET passage:Reindex;
