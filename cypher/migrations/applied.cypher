// Returns the versions of the schema that were applied, ascending.
// read
MATCH (migration:Migration)
RETURN migration.version AS version
ORDER BY version
