// Drops vectors of imported records that are not projected yet, so that they are embedded; returns how many.
// write
// $limit INTEGER: the greatest number of records
MATCH (n:Unprojected|Unlinked) WHERE n.vector IS NOT NULL
WITH n LIMIT $limit
REMOVE n.vector
RETURN count(*) AS dropped
