// Returns deletions that are queued for projection, except of records that another projector has claimed.
// read
// $owner STRING: id of this projector
// $limit INTEGER: the greatest number of rows
CALL () {
  // Such a point may be stored after its deletion, and its projector may end before it settles the record.
  MATCH (claim:ProjectionClaim)
  // One that lasts longer than a minute is from before the clock was set back.
  WHERE claim.owner <> $owner AND 0 < claim.until - datetime.realtime().epochMillis <= 60000
  UNWIND claim.keys AS key
  RETURN collect(key) AS claimed
}
MATCH (tombstone:Tombstone)
WHERE NOT tombstone.namespace + '/' + tombstone.kind + '/' + tombstone.key IN claimed
RETURN
  elementId(tombstone) AS element,
  tombstone.namespace AS namespace,
  tombstone.kind AS kind,
  tombstone.key AS key,
  coalesce(tombstone.round, 0) AS round
LIMIT $limit
