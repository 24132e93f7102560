// Returns what an operation did, as far as it is still there, and what depends on it.
// read
// $namespace STRING: the caller's namespace
// $change_id STRING: id of one of the changes of the operation
// $bookkeeping LIST<STRING>: relationship types that connect no knowledge
// $most INTEGER: how many dependents at most
MATCH (asked:Change {namespace: $namespace, id: $change_id})
CALL (asked) {
  MATCH (change:Change {namespace: $namespace, operation: asked.operation})
  RETURN collect(change) AS changes
}
WITH asked, asked.operation AS operation, changes, [change IN changes | change.id] AS ids
CALL (changes) {
  UNWIND changes AS change
  MATCH (change)-[:CHANGED]->(touched)
  // What was only retracted can be put back, whatever it is.
  WHERE NOT coalesce(touched.retracted_in = change.id, false)
  UNWIND coalesce(touched.retracted_from, labels(touched)) AS label
  RETURN collect(DISTINCT label) AS labels
}
CALL (changes, operation) {
  UNWIND changes AS change
  MATCH (change)-[touched:CHANGED]->(n)
  WHERE touched.created AND NOT n:Retracted
  RETURN collect(DISTINCT n) AS created
}
CALL (changes, operation) {
  // Entities that a link in the text created.
  UNWIND changes AS change
  MATCH (change)-[:CHANGED]->(n)-[:MENTIONS|ABOUT]->(entity:Entity {change_operation: operation})
  RETURN collect(DISTINCT entity) AS linked
}
CALL (changes, operation) {
  UNWIND changes AS change
  MATCH (change)-[:CHANGED]->()-[edge]-()
  WHERE (edge.change_operation = operation OR edge.restored_operation = operation)
    AND NOT type(edge) IN $bookkeeping
  RETURN collect(DISTINCT edge) AS relations
}
CALL (changes) {
  UNWIND changes AS change
  MATCH (change)-[:CHANGED]->(a)-[former:FORMER {former_change: change.id}]-()
  RETURN collect(DISTINCT former) AS formers
}
CALL (changes) {
  UNWIND changes AS change
  MATCH (change)-[:CHANGED]->(n:Retracted {retracted_in: change.id})
  RETURN collect(DISTINCT n) AS retracted
}
CALL (changes) {
  UNWIND changes AS change
  MATCH (change)-[was:WAS]->(n)
  WHERE NOT n:Retracted
  WITH n, was, change ORDER BY change.at
  WITH n, head(collect(was)) AS was
  RETURN collect({node: n, was: was}) AS overwritten
}
CALL (changes, asked, created, overwritten) {
  // Later changes of the same properties.
  UNWIND created + [each IN overwritten | each.node] AS n
  MATCH (n)<-[:WAS]-(later:Change)
  WHERE later.at >= asked.at AND NOT later IN changes AND later.undone_by IS NULL AND later.undoes IS NULL
  RETURN collect(DISTINCT {what: later.name, name: coalesce(n.name, ''), change_id: later.id})[..$most] AS later
}
CALL (created, linked, relations) {
  // What refers to what was created. An entity may also refer.
  UNWIND created AS n
  MATCH (n)-[edge]-(other)
  WHERE NOT type(edge) IN $bookkeeping AND (n:Entity OR endNode(edge) = n) AND other <> n
    AND NOT other IN created AND NOT other IN linked
    AND NOT edge IN relations
  RETURN
    collect(DISTINCT CASE WHEN n:Entity THEN elementId(n) END) AS needed,
    [each IN collect(DISTINCT CASE WHEN NOT n:Entity THEN {
      what: coalesce(other.label, head([label IN labels(other) WHERE NOT label IN ['Passage', 'Unprojected']])),
      name: toString(coalesce(other.id, other.name)), change_id: null
    } END) WHERE each IS NOT NULL][..$most] AS referring,
    [each IN collect(DISTINCT CASE WHEN n:Entity THEN {
      what: coalesce(other.label, head([label IN labels(other) WHERE NOT label IN ['Passage', 'Unprojected']])),
      name: toString(coalesce(other.name, other.id)), change_id: null
    } END) WHERE each IS NOT NULL][..$most] AS related
}
CALL (linked, created, relations, overwritten) {
  UNWIND linked AS entity
  MATCH (entity)-[edge]-(other)
  WHERE NOT type(edge) IN $bookkeeping AND NOT other IN created AND NOT edge IN relations
    AND NOT other IN [each IN overwritten | each.node]
  RETURN collect(DISTINCT elementId(entity)) AS linked_needed
}
CALL (relations, ids, asked) {
  UNWIND relations AS edge
  WITH edge, startNode(edge) AS a, endNode(edge) AS b
  MATCH (a)-[former:FORMER {edge_id: edge.edge_id}]->(b)
  WHERE former.former_until >= asked.at AND NOT former.former_change IN ids
    AND NOT EXISTS {
      MATCH (change:Change {namespace: $namespace, id: former.former_change})
      WHERE change.undone_by IS NOT NULL OR change.undoes IS NOT NULL
    }
  RETURN collect(DISTINCT {what: 'relation ' + edge.relation, name: a.name, change_id: former.former_change})[..$most]
    AS updated
}
CALL (formers) {
  UNWIND formers AS former
  WITH former, startNode(former) AS a, endNode(former) AS b
  MATCH (a)-[edge]->(b)
  WHERE type(edge) = former.former_type AND edge.relation = former.relation AND edge.edge_id <> former.edge_id
  RETURN collect(DISTINCT {what: 'relation ' + edge.relation, name: a.name, change_id: null})[..$most] AS again
}
RETURN
  asked.name AS name,
  toString(asked.at) AS at,
  asked.by AS by,
  asked.kind AS kind,
  operation,
  ids,
  asked.undone_by AS undone_by,
  labels,
  [n IN created | {
    element: elementId(n), is_entity: n:Entity, needed: elementId(n) IN needed,
    what: coalesce(n.label, head([label IN labels(n) WHERE NOT label IN ['Passage', 'Unprojected']])),
    name: toString(coalesce(n.id, n.name))
  }] AS created,
  [entity IN linked | {
    element: elementId(entity), is_entity: true, needed: elementId(entity) IN linked_needed, name: entity.name
  }] AS linked,
  [edge IN relations | elementId(edge)] AS relations,
  size(formers) AS formers,
  size(retracted) AS retracted,
  size(overwritten) AS overwritten,
  later + referring + updated + again AS dependents,
  related
