// Returns passages with their entries for a page of hits, and which other passages are not in the scope.
// read
// $namespace STRING: the caller's namespace
// $ids LIST<STRING>: ids of the passages
// $others LIST<STRING>: ids of passages that are only confirmed
// $scope STRING: the scope tag that they must carry
// $since STRING: the earliest time, as a sortable text
// $until STRING: the latest time, as a sortable text
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
    source_ref: entry.source_ref,
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
