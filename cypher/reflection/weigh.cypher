// Returns how much evidence about each of the next entities is not answered yet, with reflection's drafts about it.
// read
// $namespace STRING: the namespace
// $after INTEGER: integer id of the last entity of the previous page
// $limit INTEGER: how many entities at most
// $failing LIST<STRING>: types of memories that report a failure
// $working LIST<STRING>: types of memories that report a success
// $low FLOAT: reward up to which an episode is a failure
// $high FLOAT: reward from which an episode is a success
MATCH (entity:Entity)
WHERE entity.namespace = $namespace AND entity.node_id > $after
WITH entity ORDER BY entity.namespace, entity.node_id LIMIT $limit
CALL (entity) {
  MATCH (decision:Decision {namespace: $namespace, target_key: entity.name_key})
  WHERE decision.active_target IS NOT NULL
  RETURN
    collect(decision.id) AS in_force,
    max(CASE WHEN decision.created_at IS :: ZONED DATETIME NOT NULL THEN decision.created_at END) AS decided_at,
    head(collect(coalesce(decision.title, decision.name, ''))) AS decision_title,
    head(collect(decision.target)) AS target
}
CALL (entity) {
  CALL (entity) {
    MATCH (made:Proposal {namespace: $namespace, target_key: entity.name_key})
    WHERE made.stance IS NOT NULL
    RETURN made, made.status AS status
    UNION ALL
    MATCH (made:Retracted {namespace: $namespace, target_key: entity.name_key})
    WHERE made.stance IS NOT NULL
    RETURN made, 'retracted' AS status
  }
  RETURN
    max(CASE WHEN made.stance = 'change' AND status <> 'draft' THEN made.evidence_until END) AS change_closed,
    max(CASE WHEN made.stance = 'keep' AND status <> 'draft' THEN made.evidence_until END) AS keep_closed,
    [draft IN collect(CASE WHEN status = 'draft' THEN made {
      .id, .stance, .confidence, .hit_count, .miss_count, .ready, .supersedes, .evidence_until, .rationale
    } END) | draft] AS drafts
}
WITH *, datetime({epochMillis: 0}) AS never
WITH
  entity, in_force, decision_title, target, drafts,
  CASE WHEN coalesce(change_closed, never) > coalesce(decided_at, never)
    THEN coalesce(change_closed, never) ELSE coalesce(decided_at, never) END AS change_since,
  CASE WHEN coalesce(keep_closed, never) > coalesce(decided_at, never)
    THEN coalesce(keep_closed, never) ELSE coalesce(decided_at, never) END AS keep_since
CALL (entity, change_since, keep_since) {
  // Each record once, by however many ways it is about the entity.
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
  WITH entity, record, change_since, keep_since, coalesce(record.effective_at, record.created_at) AS at, CASE
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
  // Times are compared as Python has them. The same text twice is one piece of evidence.
  WITH outcome, datetime.truncate('millisecond', at) AS at, change_since, keep_since,
    coalesce(record.content_key, elementId(record)) AS piece
  RETURN
    count(DISTINCT CASE WHEN outcome < 0 AND at > change_since THEN piece END) AS failures,
    count(DISTINCT CASE WHEN outcome > 0 AND at > change_since THEN piece END) AS successes,
    min(CASE WHEN outcome < 0 AND at > change_since THEN at END) AS failures_from,
    max(CASE WHEN outcome < 0 AND at > change_since THEN at END) AS failures_until,
    max(CASE WHEN at > change_since THEN at END) AS change_until,
    count(DISTINCT CASE WHEN outcome > 0 AND at > keep_since THEN piece END) AS keep_hits,
    count(DISTINCT CASE WHEN outcome < 0 AND at > keep_since THEN piece END) AS keep_misses,
    min(CASE WHEN outcome > 0 AND at > keep_since THEN at END) AS keep_from,
    max(CASE WHEN outcome > 0 AND at > keep_since THEN at END) AS keep_hit_until,
    max(CASE WHEN at > keep_since THEN at END) AS keep_until
}
RETURN
  entity.node_id AS number,
  elementId(entity) AS element,
  entity.name AS name,
  entity.name_key AS target_key,
  coalesce(target, entity.name) AS target,
  in_force,
  decision_title,
  drafts,
  {
    hits: failures, misses: successes, since: change_since, first: failures_from, last: failures_until,
    until: change_until
  } AS change,
  {
    hits: keep_hits, misses: keep_misses, since: keep_since, first: keep_from, last: keep_hit_until, until: keep_until
  } AS keep
ORDER BY number
