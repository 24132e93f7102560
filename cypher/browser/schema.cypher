// The schema at a glance: which kinds of things exist and how they connect.
CALL db.schema.visualization()
