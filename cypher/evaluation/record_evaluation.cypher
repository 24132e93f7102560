// Stores two judges' scores of documents for a ground-truth query; connects a judgement to the insight that was judged.
// write
// $namespace STRING: the caller's namespace
// $query_id INTEGER: id of the ground-truth query
// $id INTEGER: id of this evaluation
// $query STRING: the query text that the judges saw
// $judge1_model STRING: the first judge
// $judge2_model STRING: the second judge
// $judge1_score FLOAT: mean of the first judge's scores
// $judge2_score FLOAT: mean of the second judge's scores
// $kappa FLOAT: Cohen's kappa of the two
// $agreement STRING: the term for kappa
// $seconds FLOAT: how long the judges took
// $by STRING: name of the principal who asked
// $judgements LIST<MAP>: document_id, and score and seconds of each judge
// $not_evaluated LIST<INTEGER>: ids of the documents that not both judges scored
// $change MAP<ANY>: who does what, for the audit trail
MATCH (truth:GroundTruth {namespace: $namespace, id: $query_id})
SET truth.judge1_model = $judge1_model, truth.judge1_score = $judge1_score, truth.judge2_model = $judge2_model,
  truth.judge2_score = $judge2_score, truth.kappa = $kappa, truth.agreement = $agreement, truth.judged_at = datetime()
CREATE (evaluation:Evaluation {
  namespace: $namespace,
  id: $id,
  name: $agreement + ' · ' + toString(round($kappa, 2)),
  query: $query,
  judge1_model: $judge1_model,
  judge1_score: $judge1_score,
  judge2_model: $judge2_model,
  judge2_score: $judge2_score,
  kappa: $kappa,
  agreement: $agreement,
  documents: size($judgements),
  not_evaluated: $not_evaluated,
  seconds: $seconds,
  created_at: truth.judged_at,
  created_by: $by
})-[:IN]->(truth)
MERGE (who:Principal {namespace: $namespace, name: $change.by})
CREATE (who)-[:DID]->(:Change $change)-[:CHANGED {created: true}]->(evaluation)
WITH evaluation
UNWIND $judgements AS row
CREATE (judgement:Judgement {
  namespace: $namespace,
  name: toString(row.document_id) + ': ' + toString(round(row.judge1_score, 2)) + ' / '
    + toString(round(row.judge2_score, 2)),
  document_id: row.document_id,
  judge1_score: row.judge1_score,
  judge1_seconds: row.judge1_seconds,
  judge2_score: row.judge2_score,
  judge2_seconds: row.judge2_seconds
})-[:IN]->(evaluation)
WITH judgement
OPTIONAL MATCH (insight:Insight {namespace: $namespace, id: judgement.document_id})
FOREACH (judged IN CASE WHEN insight IS NULL THEN [] ELSE [insight] END | CREATE (judgement)-[:JUDGES]->(judged))
RETURN count(judgement) AS judgements
