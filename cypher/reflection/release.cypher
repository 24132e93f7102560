// Ends the right of a run to reflect on a namespace; a pass that is complete begins with the first entity next time.
// write
// $namespace STRING: the namespace
// $owner STRING: id of the run
// $complete BOOLEAN: whether the run looked at all entities
MATCH (state:Reflection {namespace: $namespace, owner: $owner})
SET
  state.position = CASE WHEN $complete THEN -1 ELSE state.position END,
  state.finished_at = CASE WHEN $complete THEN datetime.realtime() ELSE state.finished_at END
REMOVE state.owner, state.claimed_until
