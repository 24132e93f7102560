// Deletes some imported nodes and returns how many.
// write
// $namespace STRING: the namespace
// $run STRING: the run that filled it
// $limit INTEGER: how many at most
MATCH (import:ArchiveImport {namespace: $namespace})
SET import.touched_at = datetime()
WITH import
WHERE import.run = $run
MATCH (n:Arriving {namespace: $namespace})
WITH n
LIMIT $limit
DETACH DELETE n
RETURN count(n) AS dropped
