// Replicas of the service claim the records that they project (docs/decisions/0029).
CREATE CONSTRAINT projection_claim_owner IF NOT EXISTS
FOR (claim:ProjectionClaim) REQUIRE claim.owner IS UNIQUE;

// This label is now reserved: agents' own entities with this label lose the native label.
MATCH (entity:Entity:ProjectionClaim)
SET entity.label = coalesce(entity.label, 'ProjectionClaim')
REMOVE entity:ProjectionClaim;
