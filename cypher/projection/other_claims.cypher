// Returns the number of projectors, besides this one, that have claimed records.
// read
// $owner STRING: id of this projector
MATCH (claim:ProjectionClaim)
// One that lasts longer than a minute is from before the clock was set back.
WHERE claim.owner <> $owner AND 0 < claim.until - datetime.realtime().epochMillis <= 60000 AND size(claim.elements) > 0
RETURN count(claim) AS projectors
