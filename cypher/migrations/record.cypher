// Records that a version of the schema was applied.
// write
// $version INTEGER: number of the migration
// $name STRING: its name
MERGE (migration:Migration {version: $version})
ON CREATE SET migration.name = $name, migration.applied_at = datetime()
