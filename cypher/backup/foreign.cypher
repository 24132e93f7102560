// Returns whether a namespace has any record that is not imported.
// read
// $namespace STRING: the namespace
RETURN EXISTS {
  MATCH (n)
  WHERE n.namespace = $namespace
    AND NOT n:Arriving AND NOT n:ArchiveImport AND NOT n:Sequence AND NOT n:Token AND NOT n:Tombstone
} AS found
