// Returns the element ids of the records that a name or id means: current, retracted, or by another name of an entity.
// read
// $namespace STRING: the caller's namespace
// $name STRING: name of an entity, or id of a record
// $number INTEGER: id of an insight, dialogue or episode, if the name is a number
// $key STRING: comparison key of the name
CALL () {
  MATCH (node:Entity {namespace: $namespace, name: $name}) RETURN node
  UNION MATCH (node:Retracted {namespace: $namespace, name: $name}) RETURN node
  UNION MATCH (:Alias {namespace: $namespace, name_key: $key})-[:ALIAS_OF*1..10]->(node) RETURN node
  UNION MATCH (node:Decision {namespace: $namespace, id: $name}) RETURN node
  UNION MATCH (node:Proposal {namespace: $namespace, id: $name}) RETURN node
  UNION MATCH (node:Entry {namespace: $namespace, id: $name}) RETURN node
  UNION MATCH (node:Message {namespace: $namespace, id: $name}) RETURN node
  UNION MATCH (node:Context {namespace: $namespace, id: $name}) RETURN node
  UNION MATCH (node:Reference {namespace: $namespace, id: $name}) RETURN node
  UNION MATCH (node:Attribution {namespace: $namespace, id: $name}) RETURN node
  UNION MATCH (node:Correction {namespace: $namespace, id: $name}) RETURN node
  UNION MATCH (node:Metric {namespace: $namespace, id: $name}) RETURN node
  UNION MATCH (node:Insight {namespace: $namespace, id: $number}) RETURN node
  UNION MATCH (node:Dialogue {namespace: $namespace, id: $number}) RETURN node
  UNION MATCH (node:Episode {namespace: $namespace, id: $number}) RETURN node
  UNION MATCH (node:Retracted {namespace: $namespace, id: $name}) RETURN node
  UNION MATCH (node:Retracted {namespace: $namespace, id: $number}) RETURN node
  UNION
  MATCH (collection:MemoryCollection {namespace: $namespace})
  MATCH (node:Collected {namespace: $namespace, collection: collection.id, id: $name})
  RETURN node
  UNION MATCH (node:Entity {namespace: $namespace, name_key: $key}) RETURN node
}
RETURN elementId(node) AS element
LIMIT 100
