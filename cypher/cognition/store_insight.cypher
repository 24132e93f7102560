// Stores an insight, connected to the dialogues that it was distilled from.
// write
// $namespace STRING: the caller's namespace
// $id INTEGER: the insight's id
// $name STRING: its caption
// $content STRING: what it says
// $source_ids LIST<INTEGER>: ids of the dialogues, each once
// $fidelity_score FLOAT: the share of its words that say something
// $fidelity_warning BOOLEAN: whether that is little
// $warning_message STRING: what the caller was told then, or null
// $at ZONED DATETIME: when
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
CREATE (who)-[:DID]->(:Change $change)-[:CHANGED]->(insight)
RETURN elementId(insight) AS element
