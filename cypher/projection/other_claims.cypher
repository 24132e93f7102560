// Returns the number of projectors, besides this one, that have claimed records.
// read
// $owner STRING: id of this projector
MATCH (claim:ProjectionClaim)
WHERE claim.owner <> $owner AND claim.until > datetime.realtime().epochMillis AND size(claim.elements) > 0
RETURN count(claim) AS projectors
