// Returns a node as a step of a path, and its element id.
// read
// $namespace STRING: the caller's namespace
// $name STRING: name of an entity, or id of a record
// $number INTEGER: id of an insight, dialogue or episode, where the name is a number
OPTIONAL MATCH (entity:Entity {namespace: $namespace, name: $name})
OPTIONAL CALL (entity) {
  WITH entity
  WHERE entity IS NULL
  OPTIONAL MATCH (decision:Decision {namespace: $namespace, id: $name})
  OPTIONAL MATCH (proposal:Proposal {namespace: $namespace, id: $name})
  OPTIONAL MATCH (insight:Insight {namespace: $namespace, id: $number})
  OPTIONAL MATCH (dialogue:Dialogue {namespace: $namespace, id: $number})
  OPTIONAL MATCH (episode:Episode {namespace: $namespace, id: $number})
  OPTIONAL MATCH (entry:Entry {namespace: $namespace, id: $name})
  OPTIONAL MATCH (message:Message {namespace: $namespace, id: $name})
  CALL () {
    MATCH (live:MemoryCollection {namespace: $namespace, state: 'live'})
    WHERE live.of IN ['memories', 'summaries']
    MATCH (record:Collected {namespace: $namespace, collection: live.id, id: $name})
    RETURN head(collect(record)) AS collected
  }
  RETURN coalesce(decision, proposal, insight, dialogue, episode, entry, message, collected) AS record
}
WITH coalesce(entity, record) AS node
WHERE node IS NOT NULL
RETURN
  elementId(node) AS element,
  coalesce(node.node_id, node.id, 0) AS node_id,
  coalesce(node.label, head([label IN labels(node) WHERE NOT label IN ['Entity', 'Unprojected']]), 'Entity') AS label,
  coalesce(node.name, '') AS name,
  CASE WHEN node:Decision OR node:Proposal THEN node.status END AS status
