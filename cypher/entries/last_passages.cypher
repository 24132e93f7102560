// Returns the last passages of a session in a project, the last one first.
// read
// $namespace STRING: the caller's namespace
// $session_id STRING: the session's id
// $project STRING: name of the project
// $limit INTEGER: how many at most
MATCH (passage:Passage {namespace: $namespace, session_id: $session_id, project: $project})
WHERE passage.place IS NOT NULL
RETURN
  passage.id AS id,
  passage.entry AS entry,
  passage.place AS place,
  toInteger(passage.at) AS at,
  coalesce(passage.text, passage.body) AS text
ORDER BY place DESC
LIMIT $limit
