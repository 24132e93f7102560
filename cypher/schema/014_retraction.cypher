// Corrections: records that were retracted, former states, other names of entities, and changes that can be undone.
CREATE CONSTRAINT change_id IF NOT EXISTS
FOR (change:Change) REQUIRE (change.namespace, change.id) IS UNIQUE;

CREATE INDEX change_operation IF NOT EXISTS
FOR (change:Change) ON (change.namespace, change.operation);

// A retracted record has lost its other labels, so no statement about current records finds it (docs/decisions/0024).
CREATE INDEX retracted_id IF NOT EXISTS
FOR (record:Retracted) ON (record.namespace, record.id);

CREATE INDEX retracted_node_id IF NOT EXISTS
FOR (record:Retracted) ON (record.namespace, record.node_id);

CREATE INDEX retracted_name IF NOT EXISTS
FOR (record:Retracted) ON (record.namespace, record.name);

CREATE INDEX retracted_target_key IF NOT EXISTS
FOR (record:Retracted) ON (record.namespace, record.target_key);

CREATE INDEX retracted_record IF NOT EXISTS
FOR (record:Retracted) ON (record.namespace, record.record);

CREATE INDEX alias_name_key IF NOT EXISTS
FOR (alias:Alias) ON (alias.namespace, alias.name_key);

// These names are now reserved: agents' own entities and relations lose the native name and keep the exact one.
MATCH (entity:Entity:Retracted)
SET entity.label = coalesce(entity.label, 'Retracted')
REMOVE entity:Retracted;

MATCH (entity:Entity:Alias)
SET entity.label = coalesce(entity.label, 'Alias')
REMOVE entity:Alias;

MATCH (entity:Entity:Erasure)
SET entity.label = coalesce(entity.label, 'Erasure')
REMOVE entity:Erasure;

MATCH (source:Entity)-[old:FORMER|WAS|ALIAS_OF]->(target:Entity)
MERGE (source)-[edge:RELATED {relation: coalesce(old.relation, type(old))}]->(target)
ON CREATE SET edge += properties(old)
DELETE old;
