// Stores an episode: what was asked or tried, how it went and what was learned.
// write
// $namespace STRING: the caller's namespace
// $id INTEGER: the episode's id
// $name STRING: its caption
// $query STRING: what was asked or tried
// $reward FLOAT: how it went, -1 to 1
// $reflection STRING: what was learned
// $at ZONED DATETIME: its time
// $by STRING: name of the principal who stored it
// $change MAP<ANY>: who does what, for the audit trail
CREATE (episode:Episode {
  namespace: $namespace,
  id: $id,
  node_id: $id,
  name: $name,
  query: $query,
  reward: $reward,
  reflection: $reflection,
  created_at: $at,
  created_by: $by
})
MERGE (who:Principal {namespace: $namespace, name: $change.by})
CREATE (who)-[:DID]->(:Change $change)-[:CHANGED {created: true}]->(episode)
RETURN elementId(episode) AS element
