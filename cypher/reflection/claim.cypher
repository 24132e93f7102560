// Claims or renews the right to reflect on a namespace; returns no row while another process has it.
// write
// $namespace STRING: the namespace
// $owner STRING: id of the run that claims it
// $seconds INTEGER: how long the claim lasts unless it is renewed
// $position INTEGER: integer id of the last entity that was looked at, or null to leave it as it is
MATCH (state:Reflection {namespace: $namespace})
WITH state, datetime.realtime() AS now
WHERE state.owner IS NULL OR state.owner = $owner OR state.claimed_until IS NULL OR state.claimed_until <= now
SET
  state.owner = $owner,
  state.claimed_until = now + duration({seconds: $seconds}),
  state.position = coalesce($position, state.position, -1)
RETURN state.position AS position, state.linked_until AS linked_until
