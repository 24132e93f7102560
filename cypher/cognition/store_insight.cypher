// Stores an insight and connects it to the dialogues that it was distilled from.
// write
// $namespace STRING: the caller's namespace
// $id INTEGER: the insight's id
// $name STRING: its caption
// $content STRING: its text
// $source_ids LIST<INTEGER>: ids of the dialogues, each once
// $fidelity_score FLOAT: the share of its words that carry information
// $fidelity_warning BOOLEAN: true where that is below the threshold
// $warning_message STRING: the warning for the caller, or null
// $at ZONED DATETIME: its time
// $by STRING: name of the principal who stored it
// $change MAP<ANY>: who does what, for the audit trail
CREATE (insight:Insight {
  namespace: $namespace,
  id: $id,
  node_id: $id,
  name: $name,
  content: $content,
  source_ids: $source_ids,
  fidelity_score: $fidelity_score,
  fidelity_warning: $fidelity_warning,
  warning_message: $warning_message,
  created_at: $at,
  created_by: $by
})
WITH insight
CALL (insight) {
  UNWIND $source_ids AS id
  MATCH (dialogue:Dialogue {namespace: $namespace, id: id})
  CREATE (insight)-[:DISTILLED_FROM]->(dialogue)
}
MERGE (who:Principal {namespace: $namespace, name: $change.by})
CREATE (who)-[:DID]->(:Change $change)-[:CHANGED {created: true}]->(insight)
RETURN elementId(insight) AS element
