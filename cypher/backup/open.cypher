// Begins an import, or takes over an unfinished one, and returns the last integer id before it.
// write
// $namespace STRING: the namespace that is filled
// $run STRING: the run that fills it from now on
// $content STRING: hash of the backup's content
// $last_id INTEGER: the last integer id in the backup
MERGE (import:ArchiveImport {namespace: $namespace})
ON CREATE SET import.state = 'loading', import.started_at = datetime()
SET import.name = 'import of a backup', import.run = $run, import.content = $content, import.last_id = $last_id
MERGE (sequence:Sequence {namespace: $namespace})
RETURN coalesce(sequence.value, 0) AS value
