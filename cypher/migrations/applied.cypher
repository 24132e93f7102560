// Returns the schema versions that were applied, ascending.
// read
MATCH (migration:Migration)
RETURN migration.version AS version
ORDER BY version
