// Returns the passages of an entry in their order, and those of its session before and after it.
// read
// $namespace STRING: the caller's namespace
// $node_id INTEGER: the entry's integer id
// $limit INTEGER: how many before and after at most
OPTIONAL MATCH (part:Passage {namespace: $namespace, record: $node_id})
WITH part ORDER BY part.place, part.whole
WITH
  min(part.place) AS first_place,
  max(coalesce(part.last_place, part.place)) AS last_place,
  head(collect(part.session)) AS session,
  head([each IN collect(part) WHERE each.whole | each.words]) AS opening,
  [each IN collect(part) WHERE NOT coalesce(each.whole, false) OR coalesce(each.parts, 1) = 1 |
    coalesce(each.text, each.body)] AS texts
CALL (session, first_place) {
  MATCH (passage:Passage {namespace: $namespace, session: session})
  WHERE passage.place < first_place AND passage.record <> $node_id
  WITH passage ORDER BY passage.namespace DESC, passage.session DESC, passage.place DESC LIMIT $limit
  RETURN collect({
    id: passage.id,
    text: coalesce(passage.text, passage.body),
    part: NOT coalesce(passage.whole, false) OR coalesce(passage.parts, 1) = 1
  }) AS before
}
CALL (session, last_place) {
  MATCH (passage:Passage {namespace: $namespace, session: session})
  WHERE passage.place > last_place AND passage.record <> $node_id
  WITH passage ORDER BY passage.namespace, passage.session, passage.place LIMIT $limit
  RETURN collect({
    id: passage.id,
    text: coalesce(passage.text, passage.body),
    part: NOT coalesce(passage.whole, false) OR coalesce(passage.parts, 1) = 1
  }) AS after
}
RETURN session, first_place, last_place, opening, texts, reverse(before) AS before, after
