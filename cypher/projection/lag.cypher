// Returns how many records and deletions are queued for projection, whether lost vectors are recreated, and the model.
// read
CALL () {
  MATCH (n:Unprojected) RETURN count(n) AS records
}
CALL () {
  MATCH (tombstone:Tombstone) RETURN count(tombstone) AS deletions
}
RETURN
  records,
  deletions,
  EXISTS { MATCH (model:EmbeddingModel {purpose: 'projection'}) WHERE model.recreating } AS recreating,
  head(COLLECT { MATCH (model:EmbeddingModel {purpose: 'projection'}) RETURN model.fingerprint }) AS fingerprint
