// Returns records whose passages an older release stored, with all passages, the text and the title of each.
// read
// $limit INTEGER: how many records at most
MATCH (outdated:Passage:Reindex)
WHERE outdated.namespace IS NOT NULL AND outdated.record IS NOT NULL
WITH DISTINCT outdated.namespace AS namespace, outdated.record AS record
LIMIT $limit
MATCH (passage:Passage {namespace: namespace, record: record})
OPTIONAL MATCH (passage)-[:PASSAGE_OF]->(of)
WITH namespace, record, of, passage ORDER BY coalesce(passage.place, -1), passage.id
WITH
  namespace,
  record,
  head(collect(of)) AS of,
  collect({
    id: passage.id,
    name: coalesce(passage.name, ''),
    text: coalesce(passage.text, passage.body, ''),
    words: coalesce(passage.words, ''),
    around: coalesce(passage.around, ''),
    scope: coalesce(passage.scope, ''),
    session: passage.session,
    place: passage.place,
    at: passage.at
  }) AS passages
RETURN namespace, record, passages, coalesce(of.body, of.content, of.query) AS text, of.title AS title
