// Returns the last passages of a session, the last one first.
// read
// $namespace STRING: the caller's namespace
// $session STRING: the session's word
// $limit INTEGER: how many at most
MATCH (passage:Passage {namespace: $namespace, session: $session})
WHERE passage.place IS NOT NULL
RETURN
  passage.id AS id,
  passage.record AS record,
  passage.place AS place,
  toInteger(passage.at) AS at,
  coalesce(passage.text, passage.body) AS text
ORDER BY place DESC
LIMIT $limit
