// Returns the texts that stand for decisions and proposals as a whole, for those that Qdrant does not store yet.
// read
// $namespace STRING: the caller's namespace
// $records LIST<INTEGER>: their integer ids
UNWIND $records AS record
MATCH (passage:Passage {namespace: $namespace, record: record})
WHERE passage.whole
RETURN record, passage.name + '\n' + coalesce(passage.text, '') AS text
