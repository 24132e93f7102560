// Returns dialogues with the two before and after each, in the order of their sessions.
// read
// $namespace STRING: the caller's namespace
// $ids LIST<INTEGER>: ids of the dialogues
UNWIND $ids AS id
MATCH (source:Dialogue {namespace: $namespace, id: id})
MATCH (source)-[:NEXT*0..2]-(near:Dialogue)
WITH DISTINCT near
ORDER BY near.session_id, near.place
// Only the words at the beginning are used.
RETURN near.speaker AS speaker, left(near.content, 2000) AS content
