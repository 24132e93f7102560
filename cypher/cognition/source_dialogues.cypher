// Returns the sessions of dialogues and their positions there; an unknown id has no row.
// read
// $namespace STRING: the caller's namespace
// $ids LIST<INTEGER>: ids of dialogues
UNWIND $ids AS id
MATCH (dialogue:Dialogue {namespace: $namespace, id: id})
RETURN dialogue.id AS id, dialogue.session_id AS session_id, dialogue.place AS position
