// Schema at a glance.
// The kinds of things, and the relations between them.
CALL db.schema.visualization()
