// Lists entities by name, without regard to case, and counts all that match.
// read
// $namespace STRING: the caller's namespace
// $part STRING: part of the comparison key of the name; empty for all
// $label STRING: the label, or null for any
// $bookkeeping LIST<STRING>: relationship types that do not count as relations
// $offset INTEGER: entities to skip
// $limit INTEGER: greatest number of entities
CALL () {
  MATCH (entity:Entity {namespace: $namespace})
  WHERE entity.name_key CONTAINS $part
    AND ($label IS NULL OR coalesce(
      entity.label, head([label IN labels(entity) WHERE NOT label IN ['Entity', 'Unprojected']]), 'Entity') = $label)
  RETURN count(*) AS total
}
CALL () {
  MATCH (entity:Entity {namespace: $namespace})
  WHERE entity.name_key CONTAINS $part
    AND ($label IS NULL OR coalesce(
      entity.label, head([label IN labels(entity) WHERE NOT label IN ['Entity', 'Unprojected']]), 'Entity') = $label)
  // With the namespace first, this is the order of the index: nothing past the page is read.
  WITH entity
  ORDER BY entity.namespace, entity.name_key, entity.name
  SKIP $offset
  LIMIT $limit
  RETURN collect({
    node_id: coalesce(entity.node_id, 0),
    label: coalesce(
      entity.label, head([label IN labels(entity) WHERE NOT label IN ['Entity', 'Unprojected']]), 'Entity'
    ),
    name: entity.name,
    degree: COUNT { (entity)-[relation]-() WHERE NOT type(relation) IN $bookkeeping }
  }) AS items
}
RETURN total, items
