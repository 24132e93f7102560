// Returns whether a namespace holds anything that an import did not bring.
// read
// $namespace STRING: the namespace
RETURN EXISTS {
  MATCH (n)
  WHERE n.namespace = $namespace
    AND NOT n:Arriving AND NOT n:ArchiveImport AND NOT n:Sequence AND NOT n:Token AND NOT n:Tombstone
} AS found
