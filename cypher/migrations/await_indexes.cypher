// Waits until every index answers.
// read
CALL db.awaitIndexes(100)
