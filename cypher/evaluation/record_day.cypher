// Stores the search precision of a day, in place of an earlier result of that day.
// write
// $namespace STRING: the caller's namespace
// $today STRING: the day, as YYYY-MM-DD in UTC
// $precision FLOAT: mean Precision@5
// $baseline FLOAT: mean of the days before, or today's precision
// $drifted BOOLEAN: whether the precision is too far below the baseline
// $queries INTEGER: how many golden queries were searched for
// $seconds FLOAT: how long the searches took
// $embedding_model STRING: fingerprint of the embedding model
// $by STRING: name of the principal who asked
// $by_type MAP<ANY>: count and precision of each class of queries
// $change MAP<ANY>: who does what, for the audit trail
MERGE (day:DriftDay {namespace: $namespace, date: date($today)})
SET day += $by_type, day.name = $today + ' · ' + toString(round($precision, 2)), day.precision_at_5 = $precision,
  day.baseline_precision = $baseline, day.drift_detected = $drifted, day.queries_tested = $queries,
  day.seconds = $seconds, day.embedding_model = $embedding_model, day.measured_at = datetime(), day.measured_by = $by
MERGE (who:Principal {namespace: $namespace, name: $change.by})
CREATE (who)-[:DID]->(:Change $change)-[:CHANGED]->(day)
