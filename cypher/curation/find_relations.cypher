// Returns the relations that these names mean.
// read
// $namespace STRING: the caller's namespace
// $relations LIST<MAP>: asked, source, relation and target of each
UNWIND $relations AS each
MATCH (source:Entity {namespace: $namespace, name: each.source})
MATCH (target:Entity {namespace: $namespace, name: each.target})
MATCH (source)-[edge]->(target)
WHERE coalesce(edge.relation, type(edge)) = each.relation AND NOT type(edge) IN ['FORMER', 'ALIAS_OF']
RETURN
  each.asked AS asked,
  elementId(edge) AS element,
  coalesce(head(COLLECT {
    MATCH (change:Change {namespace: $namespace, operation: edge.change_operation}) RETURN change.kind LIMIT 1
  }), 'agent') AS origin
