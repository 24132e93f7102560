// Returns the node of a name or id, as a step of a path, and its element id.
// read
// $namespace STRING: the caller's namespace
// $name STRING: name of an entity, or id of a record
// $number INTEGER: id of an insight, dialogue or episode, if the name is a number
// $key STRING: comparison key of the name, used if nothing has exactly this name or id
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
OPTIONAL CALL (entity, record) {
  WITH entity, record
  WHERE entity IS NULL AND record IS NULL
  CALL () {
    MATCH (equal:Entity {namespace: $namespace, name_key: $key})
    RETURN equal
    UNION
    // A name from before a merge or a rename.
    MATCH (:Alias {namespace: $namespace, name_key: $key})-[:ALIAS_OF*1..5]->(equal:Entity)
    RETURN equal
  }
  WITH equal
  LIMIT 2
  WITH collect(equal) AS found
  // With two equal keys the name is ambiguous.
  WHERE size(found) = 1
  RETURN head(found) AS only
}
WITH coalesce(entity, record, only) AS node
WHERE node IS NOT NULL
RETURN
  elementId(node) AS element,
  CASE WHEN node:Entity THEN node.name ELSE $name END AS resolved_name,
  coalesce(node.node_id, node.id, 0) AS node_id,
  coalesce(node.label, head([label IN labels(node) WHERE NOT label IN ['Entity', 'Unprojected']]), 'Entity') AS label,
  coalesce(node.name, '') AS name,
  CASE
    WHEN node:Decision AND node.status = 'active' AND node.superseded_from <= datetime.realtime() THEN 'superseded'
    WHEN node:Decision AND node.status = 'active' AND node.valid_until <= datetime.realtime() THEN 'expired'
    WHEN node:Decision OR node:Proposal THEN node.status
  END AS status
