// Returns the decisions in force for these targets; data from before target keys may have several.
// read
// $namespace STRING: the caller's namespace
// $keys LIST<STRING>: keys of the targets
UNWIND $keys AS key
CALL (key) {
  MATCH (decision:Decision {namespace: $namespace, target_key: key})
  WHERE decision.active_target IS NOT NULL
  RETURN decision
  UNION
  MATCH (decision:Decision {namespace: $namespace, active_target: key})
  RETURN decision
}
RETURN key, decision.id AS id
// The decision that the constraint knows comes last.
ORDER BY key, decision.active_target = key, decision.created_at DESC, id
