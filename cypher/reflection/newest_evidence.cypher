// Returns the newest evidence of one kind about entities, the newest first, each text once.
// read
// $namespace STRING: the namespace
// $rows LIST<MAP>: number (integer id of an entity), outcome (-1 for failures, 1 for successes), since (a time)
// $limit INTEGER: how many pieces at most for each row
// $failing LIST<STRING>: types of memories that report a failure
// $working LIST<STRING>: types of memories that report a success
// $low FLOAT: reward up to which an episode is a failure
// $high FLOAT: reward from which an episode is a success
UNWIND $rows AS row
MATCH (entity:Entity {namespace: $namespace, node_id: row.number})
CALL (entity, row) {
  CALL (entity) {
    MATCH (entity)<-[:MENTIONS|ABOUT]-(record:Episode|Entry|Metric|Correction)
    RETURN record
    UNION
    MATCH (entity)<-[:MENTIONS|ABOUT]-()<-[:CORRECTS]-(record:Correction)
    RETURN record
    UNION
    MATCH (entity)<-[:ABOUT]-(:Decision)<-[:ABOUT]-(record:Entry)
    RETURN record
  }
  WITH entity, record, row, coalesce(record.effective_at, record.created_at) AS at, CASE
    WHEN record:Correction THEN -1
    WHEN record:Episode THEN CASE WHEN record.reward <= $low THEN -1 WHEN record.reward >= $high THEN 1 END
    WHEN record:Metric AND toLower(record.metric_name) CONTAINS 'success' THEN CASE
      WHEN record.metric_value < CASE WHEN record.unit IN ['%', 'percent'] THEN 50 ELSE 0.5 END THEN -1
      WHEN record.metric_value >= CASE WHEN record.unit IN ['%', 'percent'] THEN 80 ELSE 0.8 END THEN 1
    END
    WHEN record:Entry AND coalesce(record.status, 'active') = 'active' THEN CASE
      WHEN toLower(record.type) IN $failing THEN -1
      WHEN toLower(record.type) IN $working
        THEN CASE WHEN record.metadata CONTAINS '"success":false' THEN -1 ELSE 1 END
    END
  END AS outcome
  WHERE outcome IS NOT NULL AND at IS :: ZONED DATETIME NOT NULL
    // Rejected or retracted proposals of people and agents have answered their evidence, too.
    AND NOT EXISTS {
      MATCH (record)<-[:EVIDENCED_BY]-(closed:Proposal {target_key: entity.name_key})
      WHERE closed.stance IS NULL AND closed.status <> 'draft'
    }
    AND NOT EXISTS {
      MATCH (record)<-[:FORMER {former_type: 'EVIDENCED_BY'}]-(closed:Retracted {target_key: entity.name_key})
      WHERE closed.stance IS NULL
    }
  WITH record, row, outcome, datetime.truncate('millisecond', at) AS at,
    coalesce(record.content_key, elementId(record)) AS piece
  WHERE outcome = row.outcome AND at > row.since
  WITH piece, record, at ORDER BY at DESC, elementId(record)
  WITH piece, head(collect(record)) AS record, max(at) AS at
  ORDER BY at DESC, piece LIMIT $limit
  RETURN collect({element: elementId(record), name: coalesce(record.name, '')}) AS evidence
}
RETURN row.number AS number, row.outcome AS outcome, evidence
