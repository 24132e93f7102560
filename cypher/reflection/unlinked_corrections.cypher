// Returns a page of corrections with the texts in which names of entities are looked for, oldest first.
// read
// $namespace STRING: the namespace
// $at ZONED DATETIME: time of the last correction of the previous page
// $number INTEGER: its integer id
// $limit INTEGER: how many at most
MATCH (correction:Correction)
WHERE correction.namespace = $namespace AND correction.created_at >= $at AND correction.node_id IS NOT NULL
  // CASE, because the planner turns OR into two searches and sorts all their rows.
  AND CASE WHEN correction.created_at = $at THEN correction.node_id > $number ELSE true END
WITH correction ORDER BY correction.namespace, correction.created_at, correction.node_id LIMIT $limit
RETURN
  elementId(correction) AS element,
  correction.created_at AS at,
  correction.node_id AS number,
  [text IN [correction.correction_type, correction.reason, correction.corrected_value] WHERE text IS NOT NULL | left(toString(text), 2000)] AS texts
ORDER BY at, number
