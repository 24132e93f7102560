// Backups: the mark of an unfinished import into a namespace, and its reserved names.
CREATE CONSTRAINT archive_import IF NOT EXISTS
FOR (import:ArchiveImport) REQUIRE import.namespace IS UNIQUE;

MATCH (entity:Entity:ArchiveImport)
SET entity.label = coalesce(entity.label, 'ArchiveImport')
REMOVE entity:ArchiveImport;

MATCH (entity:Entity:Arriving)
SET entity.label = coalesce(entity.label, 'Arriving')
REMOVE entity:Arriving;
