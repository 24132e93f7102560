// Changed documents.
// The previous and current entry of each changed document, when and by whom it was read; newest first.
WITH 'default' AS namespace
MATCH (new:Entry {namespace: namespace})-[replaced:SUPERSEDES]->(old:Entry)
RETURN new.source_ref AS document, new.project AS project, replaced.at AS at, replaced.by AS by,
       replaced.reason AS why, old.body AS was, new.body AS became, new.status AS status
ORDER BY at DESC
LIMIT 50
