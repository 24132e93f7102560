// Waits until every index is online.
// read
CALL db.awaitIndexes(100)
