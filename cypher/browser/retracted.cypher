// Retracted records.
// What was retracted, why and by whom, and what it was related to; newest first.
WITH 'default' AS namespace
MATCH (record:Retracted {namespace: namespace})
WHERE record.retracted_from <> ['Passage']
WITH record ORDER BY record.retracted_at DESC LIMIT 50
OPTIONAL MATCH was = (record)-[:FORMER]-()
RETURN record, was, record.retracted_at AS at, record.retracted_by AS by, record.retracted_reason AS why
ORDER BY at DESC
LIMIT 200
