// Ends the claim of a projector.
// write
// $owner STRING: id of the projector
MATCH (model:EmbeddingModel {purpose: 'projection'})
// The lock of claim.cypher.
SET model.claimed_at = datetime.realtime()
WITH model
MATCH (claim:ProjectionClaim {owner: $owner})
DELETE claim
