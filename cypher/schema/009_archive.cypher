// Archives: what tells that an import into a namespace has not ended, and room for its words where agents used them.
CREATE CONSTRAINT archive_import IF NOT EXISTS
FOR (import:ArchiveImport) REQUIRE import.namespace IS UNIQUE;

MATCH (entity:Entity:ArchiveImport)
SET entity.label = coalesce(entity.label, 'ArchiveImport')
REMOVE entity:ArchiveImport;

MATCH (entity:Entity:Arriving)
SET entity.label = coalesce(entity.label, 'Arriving')
REMOVE entity:Arriving;
