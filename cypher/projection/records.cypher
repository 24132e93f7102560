// Returns records with the text to embed, whether they are queued for projection or not.
// read
// $elements LIST<STRING>: element ids of the records
UNWIND $elements AS element
MATCH (n) WHERE elementId(n) = element
WITH n
WHERE n.namespace IS :: STRING NOT NULL AND toStringOrNull(n.id) IS NOT NULL
WITH n, CASE
  // As in pending.cypher. One line per kind. existing.cypher, stored.cypher and scopes.cypher have the same kinds; a test compares them.
  // A passage that is a whole entry without a title has the beginning of its text as its name.
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
  CASE WHEN n.record IS NOT NULL THEN {
    record: n.record,
    whole: coalesce(n.whole, false),
    parts: coalesce(n.parts, 1),
    session: n.session,
    first_place: n.place,
    last_place: coalesce(n.last_place, n.place)
  } END AS origin
