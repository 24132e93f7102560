// Claims queued records for one projector, instead of those that it claimed before; returns their element ids.
// write
// $owner STRING: id of the projector
// $elements LIST<STRING>: element ids of the records to claim; empty for any record
// $limit INTEGER: the greatest number of records
// $seconds INTEGER: how long the claim lasts unless it is released
MATCH (model:EmbeddingModel {purpose: 'projection'})
// Locks the model, so that claims are made one after the other and each sees those before it.
SET model.claimed_at = datetime.realtime()
WITH model
CALL () {
  MATCH (expired:ProjectionClaim)
  // One that lasts longer than a minute is from before the clock was set back.
  WHERE NOT 0 < expired.until - datetime.realtime().epochMillis <= 60000
  DELETE expired
}
CALL () {
  MATCH (other:ProjectionClaim) WHERE other.owner <> $owner
  UNWIND other.elements AS element
  RETURN collect(element) AS taken
}
CALL (taken) {
  UNWIND $elements AS element
  MATCH (n:Unprojected) WHERE elementId(n) = element
  RETURN n
  UNION ALL
  UNWIND CASE WHEN size($elements) = 0 THEN [true] ELSE [] END AS every
  MATCH (n:Unprojected)
  RETURN n
}
WITH taken, n
// The conditions of pending.cypher: a record that it does not return would stay claimed.
WHERE n:Passage AND n.namespace IS :: STRING NOT NULL AND toStringOrNull(n.id) IS NOT NULL AND NOT elementId(n) IN taken
WITH n LIMIT $limit
WITH collect(n) AS claimed
MERGE (claim:ProjectionClaim {owner: $owner})
SET
  claim.name = 'claim of a projector',
  claim.until = datetime.realtime().epochMillis + $seconds * 1000,
  claim.elements = [n IN claimed | elementId(n)],
  claim.keys = [n IN claimed | n.namespace + '/passage/' + toString(n.id)]
RETURN claim.elements AS elements
