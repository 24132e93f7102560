// Returns how many records and deletions wait for their projection.
// read
CALL () {
  MATCH (n:Unprojected) RETURN count(n) AS records
}
CALL () {
  MATCH (tombstone:Tombstone) RETURN count(tombstone) AS deletions
}
RETURN records, deletions
