// Schema at a glance.
// Which kinds of things exist, and how they connect.
CALL db.schema.visualization()
