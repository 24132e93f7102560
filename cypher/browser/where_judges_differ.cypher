// Where judges differ.
// Documents with scores of the two judges more than 0.4 apart, with their queries.
WITH 'default' AS namespace, 0.4 AS apart
MATCH judged = (judgement:Judgement {namespace: namespace})-[:IN]->(:Evaluation)-[:IN]->(:GroundTruth)
WHERE abs(judgement.judge1_score - judgement.judge2_score) > apart
OPTIONAL MATCH document = (judgement)-[:JUDGES]->(:Insight)
RETURN judged, document
ORDER BY abs(judgement.judge1_score - judgement.judge2_score) DESC
LIMIT 100
