// Returns what an answer says of passages and of the entries that they belong to.
// read
// $namespace STRING: the caller's namespace
// $ids LIST<STRING>: ids of the passages
UNWIND $ids AS id
MATCH (passage:Passage {namespace: $namespace, id: id})
MATCH (entry:Entry {namespace: $namespace, id: passage.entry_id})
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
