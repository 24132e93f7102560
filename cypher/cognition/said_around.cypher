// Returns dialogues, and what was said right before and after each, in the order in which it was said.
// read
// $namespace STRING: the caller's namespace
// $ids LIST<INTEGER>: ids of the dialogues
UNWIND $ids AS id
MATCH (source:Dialogue {namespace: $namespace, id: id})
MATCH (source)-[:NEXT*0..2]-(near:Dialogue)
WITH DISTINCT near
ORDER BY near.session_id, near.place
// The words of its beginning are all that counts of it.
RETURN near.speaker AS speaker, left(near.content, 2000) AS content
