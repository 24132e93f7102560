// Lets insights that were distilled from a dialogue, or from the one before it, be found by what was said next.
// write
// $namespace STRING: the caller's namespace
// $after INTEGER: id of the dialogue
// $words STRING: the words of what was said next
MATCH (last:Dialogue {namespace: $namespace, id: $after})
MATCH (said:Dialogue)-[:NEXT*0..1]->(last)
MATCH (said)<-[:DISTILLED_FROM]-(:Insight)<-[:PASSAGE_OF]-(passage:Passage)
// In one order everywhere, so that two writers do not lock each other's passages.
WITH DISTINCT passage ORDER BY passage.id
SET passage.around = passage.around + ' ' + $words
