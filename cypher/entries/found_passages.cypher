// Returns what an answer says of passages and their entries, and which of others are not there where they are looked for.
// read
// $namespace STRING: the caller's namespace
// $ids LIST<STRING>: ids of the passages
// $others LIST<STRING>: ids of passages that are only to be confirmed
// $scope STRING: the word that they must carry
// $since STRING: from when they must be, as a word
// $until STRING: until when, as a word
CALL () {
  UNWIND $ids AS id
  MATCH (passage:Passage {namespace: $namespace, id: id})
  MATCH (entry:Entry {namespace: $namespace, node_id: passage.record})
  RETURN collect({
    passage: passage.id,
    id: entry.id,
    title: entry.title,
    entry_type: entry.type,
    project: entry.project,
    created_at: entry.created_at.epochMillis,
    session_id: entry.session_id,
    section: passage.heading,
    text: coalesce(passage.text, passage.body),
    words: passage.words,
    around: passage.around
  }) AS found
}
RETURN
  found,
  [id IN $others WHERE NOT EXISTS {
    MATCH (passage:Passage {namespace: $namespace, id: id})
    WHERE passage.scope CONTAINS $scope AND $since <= passage.at <= $until
  }] AS gone
