// Returns records that Qdrant does not hold in their last revision, with the text that each is found by.
// read
// $elements LIST<STRING>: element ids of the records to look for alone; every record where it is empty
// $limit INTEGER: how many at most
CALL () {
  UNWIND $elements AS element
  MATCH (n:Unprojected) WHERE elementId(n) = element
  RETURN n
  UNION ALL
  // No row where some are looked for alone: what else waits may be much, and is not read.
  UNWIND CASE WHEN size($elements) = 0 THEN [true] ELSE [] END AS every
  MATCH (n:Unprojected)
  RETURN n
}
WITH n
WHERE n.namespace IS :: STRING NOT NULL AND toStringOrNull(n.id) IS NOT NULL
WITH n, CASE
  // One line a kind. The same kinds stand in existing.cypher, stored.cypher and scopes.cypher; a test compares them.
  WHEN n:Decision THEN {kind: 'decision', text: coalesce(n.title, '') + '\n' + coalesce(n.rationale, '')}
  WHEN n:Proposal THEN {kind: 'proposal', text: coalesce(n.title, '') + '\n' + coalesce(n.rationale, '')}
  // A passage that is a whole entry, without a title of its own, is named by its beginning.
  WHEN n:Passage THEN {kind: 'passage', text: CASE
    WHEN coalesce(n.text, n.body, '') STARTS WITH coalesce(n.name, '') THEN coalesce(n.text, n.body, '')
    ELSE n.name + '\n' + coalesce(n.text, n.body, '')
  END}
END AS record
WHERE record IS NOT NULL
RETURN
  elementId(n) AS element,
  n.namespace AS namespace,
  record.kind AS kind,
  toString(n.id) AS key,
  coalesce(toIntegerOrNull(n.revision), 0) AS revision,
  coalesce(toStringOrNull(record.text), '') AS text,
  coalesce(toStringOrNull(n.scope), '') AS scope,
  toIntegerOrNull(n.at) AS at,
  // What an import brought along, so that it need not be embedded.
  n.vector AS vector
LIMIT $limit
