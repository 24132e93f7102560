// Counts the records of a namespace, each kind up to a limit: counting a million takes as long as reading them.
// read
// $namespace STRING: the caller's namespace
// $most INTEGER: the limit of each kind
// $now ZONED DATETIME: the current time
CALL () {
  MATCH (n:Decision {namespace: $namespace})
  WHERE n.id IS NOT NULL
  WITH n LIMIT $most
  WITH CASE
    WHEN n.status = 'active' AND n.superseded_from <= $now THEN 'superseded'
    WHEN n.status = 'active' AND n.valid_until <= $now THEN 'expired'
    ELSE coalesce(n.status, 'draft')
  END AS status, count(*) AS many ORDER BY many DESC, status
  RETURN collect({status: status, many: many}) AS decisions
}
CALL () {
  MATCH (n:Proposal {namespace: $namespace})
  WHERE n.id IS NOT NULL
  WITH n LIMIT $most
  WITH coalesce(n.status, 'draft') AS status, count(*) AS many ORDER BY many DESC, status
  RETURN collect({status: status, many: many}) AS proposals
}
CALL () {
  MATCH (n:Entity {namespace: $namespace})
  WHERE n.node_id IS NOT NULL
  WITH n LIMIT $most
  RETURN count(*) AS entities
}
CALL () {
  MATCH (n:Entity {namespace: $namespace})
  WHERE n.node_id IS NOT NULL
  WITH n LIMIT $most
  MATCH (n)-[edge]->(:Entity)
  WITH edge LIMIT $most
  RETURN count(*) AS relations
}
CALL () {
  MATCH (n:Entry {namespace: $namespace})
  WHERE n.id IS NOT NULL
  WITH n LIMIT $most
  RETURN count(*) AS entries
}
CALL () {
  MATCH (n:Message {namespace: $namespace})
  WHERE n.id IS NOT NULL
  WITH n LIMIT $most
  RETURN count(*) AS messages
}
CALL () {
  MATCH (live:MemoryCollection {namespace: $namespace, state: 'live'})
  WHERE live.of = 'memories'
  MATCH (n:Collected {namespace: $namespace, collection: live.id})
  WHERE n.id IS NOT NULL
  WITH n LIMIT $most
  RETURN count(*) AS interactions
}
CALL () {
  MATCH (n:Dialogue {namespace: $namespace})
  WHERE n.id IS NOT NULL
  WITH n LIMIT $most
  RETURN count(*) AS dialogues
}
CALL () {
  MATCH (n:Insight {namespace: $namespace})
  WHERE n.id IS NOT NULL
  WITH n LIMIT $most
  RETURN count(*) AS insights
}
CALL () {
  MATCH (n:Episode {namespace: $namespace})
  WHERE n.id IS NOT NULL
  WITH n LIMIT $most
  RETURN count(*) AS episodes
}
RETURN decisions, proposals, {
  entities: entities,
  relations: relations,
  entries: entries,
  messages: messages,
  interactions: interactions,
  dialogues: dialogues,
  insights: insights,
  episodes: episodes
} AS others
