// Returns the last passages and the last records as wholes of a session, the last one first.
// read
// $namespace STRING: the caller's namespace
// $session STRING: the session's key
// $limit INTEGER: how many of each at most
CALL () {
  MATCH (passage:Passage {namespace: $namespace, session: $session})
  WHERE passage.place IS NOT NULL AND (NOT coalesce(passage.whole, false) OR coalesce(passage.parts, 1) = 1)
  WITH passage ORDER BY passage.namespace DESC, passage.session DESC, passage.place DESC LIMIT $limit
  RETURN collect({
    id: passage.id,
    record: passage.record,
    place: passage.place,
    at: toInteger(passage.at),
    text: coalesce(passage.text, passage.body)
  }) AS passages
}
CALL () {
  MATCH (passage:Passage {namespace: $namespace, session: $session})
  WHERE passage.place IS NOT NULL AND coalesce(passage.whole, false)
  WITH passage ORDER BY passage.namespace DESC, passage.session DESC, passage.place DESC LIMIT $limit
  RETURN collect({
    id: passage.id,
    parts: passage.parts,
    words: passage.words
  }) AS wholes
}
RETURN passages, wholes
