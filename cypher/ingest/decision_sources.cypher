// Returns what the ledger stores about every decision record of earlier runs.
// read
// $namespace STRING: the caller's namespace
MATCH (source:Source {namespace: $namespace, kind: 'decision'})
WHERE source.uri IS NOT NULL
MATCH (source)<-[:FROM]-(decision:Decision)
RETURN
  decision.id AS key,
  decision.title AS title,
  CASE WHEN decision.active_target IS NOT NULL THEN decision.target_key END AS held,
  source.location AS location,
  source.digest AS digest,
  source.verdict AS verdict,
  source.state AS state,
  source.standing AS standing,
  source.source_status AS source_status,
  source.target AS target,
  source.created AS created,
  source.supersedes AS supersedes,
  source.superseded_by AS superseded_by,
  source.links AS links,
  EXISTS {
    MATCH (decision)<-[:SUPERSEDES]-(other:Decision)
    WHERE NOT EXISTS { (other)-[:FROM]->(:Source {kind: 'decision'}) }
  } AS replaced_in_service
ORDER BY key
