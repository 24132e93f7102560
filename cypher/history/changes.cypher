// Returns a page of changes, newest first, with their author, reason and the first records that each one changed.
// read
// $namespace STRING: the caller's namespace
// $since ZONED DATETIME: made at or after
// $until ZONED DATETIME: made at or before
// $by STRING: only those of this principal, or null
// $about LIST<STRING>: element ids of records; only changes of them and of what is about them; or null
// $labels LIST<STRING>: only changes of a record with one of these labels, or null
// $offset INTEGER: changes to skip
// $limit INTEGER: how many at most
// $records INTEGER: how many records of each
CALL () {
  // One of the three branches runs. The first two read their page from an index: the order begins with its whole key.
  WITH 1 AS one WHERE $about IS NULL AND $by IS NULL
  MATCH (change:Change)
  WHERE change.namespace = $namespace AND change.at >= $since AND change.at <= $until
    AND ($labels IS NULL OR EXISTS {
      (change)-[:CHANGED]->(record)
      WHERE any(label IN CASE WHEN record:Retracted THEN record.retracted_from ELSE labels(record) END
        WHERE label IN $labels)
    })
  WITH change
  ORDER BY change.namespace DESC, change.at DESC, change.id DESC
  SKIP $offset LIMIT $limit
  RETURN change
  UNION ALL
  WITH 1 AS one WHERE $about IS NULL AND $by IS NOT NULL
  MATCH (change:Change)
  WHERE change.namespace = $namespace AND change.by = $by AND change.at >= $since AND change.at <= $until
    AND ($labels IS NULL OR EXISTS {
      (change)-[:CHANGED]->(record)
      WHERE any(label IN CASE WHEN record:Retracted THEN record.retracted_from ELSE labels(record) END
        WHERE label IN $labels)
    })
  WITH change
  ORDER BY change.namespace DESC, change.by DESC, change.at DESC, change.id DESC
  SKIP $offset LIMIT $limit
  RETURN change
  UNION ALL
  UNWIND $about AS element
  MATCH (thing) WHERE elementId(thing) = element
  CALL (thing) {
    RETURN thing AS record
    UNION
    MATCH (thing)<-[link:ABOUT|MENTIONS|FORMER]-(record)
    WHERE type(link) <> 'FORMER' OR link.former_type IN ['ABOUT', 'MENTIONS']
    RETURN record
  }
  MATCH (record)<-[:CHANGED]-(change:Change)
  WHERE change.at >= $since AND change.at <= $until AND ($by IS NULL OR change.by = $by)
    AND ($labels IS NULL OR
      any(label IN CASE WHEN record:Retracted THEN record.retracted_from ELSE labels(record) END WHERE label IN $labels))
  WITH DISTINCT change
  ORDER BY change.at DESC, change.id DESC
  SKIP $offset LIMIT $limit
  RETURN change
}
RETURN
  change.id AS id,
  toString(change.at) AS at,
  change.by AS by,
  change.name AS operation,
  change.reason AS reason,
  change.undone_by AS undone_by,
  COLLECT {
    MATCH (change)-[:CHANGED]->(record)
    WITH DISTINCT record LIMIT $records
    RETURN {
      labels: CASE WHEN record:Retracted THEN record.retracted_from ELSE labels(record) END,
      id: toStringOrNull(record.id),
      name: left(coalesce(toStringOrNull(record.name), ''), 120)
    }
  } AS records,
  COUNT { (change)-[:CHANGED]->() } AS changed
ORDER BY change.at DESC, change.id DESC
