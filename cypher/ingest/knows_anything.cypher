// Returns whether a namespace has any decision or entity.
// read
// $namespace STRING: the caller's namespace
RETURN
  EXISTS { MATCH (decision:Decision {namespace: $namespace}) WHERE decision.id IS NOT NULL }
  OR EXISTS { MATCH (entity:Entity {namespace: $namespace}) WHERE entity.name IS NOT NULL } AS known
