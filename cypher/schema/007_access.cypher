// Access: the audit trail, and its reserved names.
CREATE INDEX change_at IF NOT EXISTS
FOR (change:Change) ON (change.namespace, change.at);

MATCH (entity:Entity:Change)
SET entity.label = coalesce(entity.label, 'Change')
REMOVE entity:Change;

MATCH (source:Entity)-[old:CHANGED|DID]->(target:Entity)
MERGE (source)-[edge:RELATED {relation: coalesce(old.relation, type(old))}]->(target)
ON CREATE SET edge += properties(old)
DELETE old;
