// Queries to judge.
// The questions of the ground truth with the ids for judging, and the agreement of the judges.
WITH 'default' AS namespace
MATCH (truth:GroundTruth {namespace: namespace})
WITH properties(truth) AS truth, COUNT { (truth)-[:SHOULD_FIND]->(:Insight) } AS should_find
RETURN
  truth.id AS query_id, truth.query AS query, should_find, truth.judged_at AS judged, round(truth.kappa, 2) AS kappa,
  truth.agreement AS agreement
ORDER BY query_id
LIMIT 300
