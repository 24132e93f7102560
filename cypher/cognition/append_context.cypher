// Adds the words of the next dialogue to the insights distilled from a dialogue or from the one before it.
// write
// $namespace STRING: the caller's namespace
// $after INTEGER: id of the dialogue before the new one
// $words STRING: the words of the new dialogue
MATCH (last:Dialogue {namespace: $namespace, id: $after})
MATCH (source:Dialogue)-[:NEXT*0..1]->(last)
MATCH (source)<-[:DISTILLED_FROM]-(:Insight)<-[:PASSAGE_OF]-(passage:Passage)
// Always in one order, so that two writers never wait for each other's passages.
WITH DISTINCT passage ORDER BY passage.id
SET passage.around = passage.around + ' ' + $words
