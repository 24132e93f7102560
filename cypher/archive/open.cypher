// Begins an import, or takes over one that did not end, and returns the last integer id handed out before.
// write
// $namespace STRING: the namespace that is filled
// $run STRING: who fills it from now on
// $content STRING: hash of what the archive holds
// $last_id INTEGER: the last integer id in it
MERGE (import:ArchiveImport {namespace: $namespace})
ON CREATE SET import.state = 'loading', import.started_at = datetime()
SET import.name = 'import of an archive', import.run = $run, import.content = $content, import.last_id = $last_id
MERGE (sequence:Sequence {namespace: $namespace})
RETURN coalesce(sequence.value, 0) AS value
