// Returns drafts with their evidence, those that are ready for a review first, then the surest.
// read
// $namespace STRING: the namespace
// $limit INTEGER: how many at most
MATCH (draft:Proposal {namespace: $namespace, status: 'draft'})
WITH draft ORDER BY coalesce(draft.ready, false) DESC, toFloatOrNull(draft.confidence) DESC, draft.id LIMIT $limit
RETURN
  draft.id AS id,
  coalesce(draft.title, draft.name, '') AS title,
  coalesce(draft.target, '') AS target,
  coalesce(draft.rationale, '') AS rationale,
  toFloatOrNull(draft.confidence) AS confidence,
  // A proposal of an agent has no such mark: it is ready when its review window ends.
  coalesce(draft.ready, true) AS ready,
  draft.stance AS stance,
  coalesce(draft.created_by, '') AS by,
  [id IN coalesce(draft.supersedes, []) |
    head(COLLECT { MATCH (old:Decision {namespace: $namespace, id: id}) RETURN coalesce(old.title, old.id) })
  ] AS supersedes,
  COLLECT {
    MATCH (draft)-[:EVIDENCED_BY]->(record)
    RETURN coalesce(record.name, toString(record.id)) ORDER BY record.created_at DESC LIMIT 20
  } AS evidence,
  COLLECT {
    MATCH (draft)-[:COMPETES_WITH]-(other:Proposal {status: 'draft'})
    RETURN coalesce(other.title, other.id) ORDER BY other.id LIMIT 20
  } AS rivals
ORDER BY ready DESC, confidence DESC, id
