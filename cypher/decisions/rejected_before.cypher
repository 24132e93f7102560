// Returns the proposal of the same title and target that was rejected or retracted and rests on all of this evidence.
// read
// $namespace STRING: the caller's namespace
// $target_key STRING: key of the target
// $title STRING: the title
// $evidence LIST<STRING>: element ids of the records that support the new proposal
CALL () {
  MATCH (old:Proposal {namespace: $namespace, target_key: $target_key, status: 'rejected'})
  RETURN old, 'rejected' AS how, old.rejection_reason AS reason
  UNION ALL
  MATCH (old:Retracted {namespace: $namespace, target_key: $target_key})
  WHERE 'Proposal' IN old.retracted_from
  RETURN old, 'retracted' AS how, old.retracted_reason AS reason
}
WITH old, how, reason
WHERE toLower(trim(old.title)) = toLower(trim($title)) AND all(element IN $evidence WHERE EXISTS {
  MATCH (old)-[link:EVIDENCED_BY|FORMER]->(record)
  WHERE elementId(record) = element AND coalesce(link.former_type, 'EVIDENCED_BY') = 'EVIDENCED_BY'
})
RETURN old.id AS id, how, reason
ORDER BY id
LIMIT 1
