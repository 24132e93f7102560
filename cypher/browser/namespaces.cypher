// Namespaces.
// The number of records in each namespace.
MATCH (entity:Entity)
WITH entity.namespace AS namespace, count(*) AS entities
RETURN namespace, entities, COUNT { MATCH (:Decision {namespace: namespace}) } AS decisions,
       COUNT { MATCH (:Decision {namespace: namespace, status: 'active'}) } AS in_force
ORDER BY entities DESC
