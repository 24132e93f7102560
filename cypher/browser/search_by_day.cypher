// Search, day by day.
// The precision of search by the golden set for each day, and the days with drift.
WITH 'default' AS namespace
MATCH (day:DriftDay {namespace: namespace})
WITH day.date AS date, properties(day) AS day
RETURN
  date, round(day.precision_at_5, 2) AS precision, round(day.baseline_precision, 2) AS baseline,
  day.drift_detected AS drifted, day.queries_tested AS queries, round(day.short_precision_at_5, 2) AS short,
  round(day.medium_precision_at_5, 2) AS medium, round(day.long_precision_at_5, 2) AS long
ORDER BY date DESC
LIMIT 90
