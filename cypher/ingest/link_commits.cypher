// Connects the memories of commits to their repository and to the decisions that they name, and sets their time.
// write
// $namespace STRING: the caller's namespace
// $uri STRING: address of the repository in the ledger
// $rows LIST<MAP>: id of each memory, at (time of the commit), decisions (possible ids)
MATCH (source:Source {namespace: $namespace, uri: $uri})
UNWIND $rows AS row
MATCH (entry:Entry {namespace: $namespace, id: row.id})
SET entry.effective_at = row.at
CREATE (entry)-[:FROM]->(source)
WITH entry, row
UNWIND row.decisions AS id
MATCH (decision:Decision {namespace: $namespace, id: id})
MERGE (entry)-[:ABOUT]->(decision)
