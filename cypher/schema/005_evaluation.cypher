// Evaluation: golden queries, judgements, and the quality of search per day.
CREATE CONSTRAINT golden_query IF NOT EXISTS
FOR (golden:GoldenQuery) REQUIRE (golden.namespace, golden.query) IS UNIQUE;

CREATE CONSTRAINT golden_query_id IF NOT EXISTS
FOR (golden:GoldenQuery) REQUIRE (golden.namespace, golden.id) IS UNIQUE;

CREATE CONSTRAINT ground_truth_query IF NOT EXISTS
FOR (truth:GroundTruth) REQUIRE (truth.namespace, truth.query) IS UNIQUE;

CREATE CONSTRAINT ground_truth_id IF NOT EXISTS
FOR (truth:GroundTruth) REQUIRE (truth.namespace, truth.id) IS UNIQUE;

CREATE CONSTRAINT evaluation_id IF NOT EXISTS
FOR (evaluation:Evaluation) REQUIRE (evaluation.namespace, evaluation.id) IS UNIQUE;

CREATE CONSTRAINT drift_day IF NOT EXISTS
FOR (day:DriftDay) REQUIRE (day.namespace, day.date) IS UNIQUE;

// These labels are now reserved: agents' own entities and relations with these names lose the native name.
MATCH (entity:Entity&(Evaluation|Judgement))
SET entity.label = coalesce(entity.label, head([word IN labels(entity) WHERE word IN ['Evaluation', 'Judgement']]))
REMOVE entity:Evaluation:Judgement;

MATCH (source:Entity)-[old:SHOULD_FIND|JUDGES]->(target:Entity)
MERGE (source)-[edge:RELATED {relation: coalesce(old.relation, type(old))}]->(target)
ON CREATE SET edge += properties(old)
DELETE old;
