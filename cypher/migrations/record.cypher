// Stores that a schema version was applied.
// write
// $version INTEGER: the number of the migration
// $name STRING: its name
MERGE (migration:Migration {version: $version})
ON CREATE SET migration.name = $name, migration.applied_at = datetime()
