"""Retraction of entities and relations in plain Cypher, in the form that the graph stores them afterwards."""

from tests.conftest import Cypher

_FORMER = (
    "CREATE (a)-[former:FORMER]->(b) "
    "SET former = properties(edge), former.former_type = type(edge), former.former_until = datetime.realtime(), "
    "  former.former_change = 'a change' "
    "DELETE edge "
)


async def retract_relation(cypher: Cypher, source: str, relation: str, target: str) -> None:
    await cypher(
        "MATCH (a:Entity {namespace: $namespace, name: $source})-[edge {relation: $relation}]->"
        "(b:Entity {namespace: $namespace, name: $target}) WHERE type(edge) <> 'FORMER' " + _FORMER,
        source=source,
        relation=relation,
        target=target,
    )


async def retract_entity(cypher: Cypher, name: str) -> None:
    await cypher(
        "MATCH (thing:Entity {namespace: $namespace, name: $name}) "
        "CALL (thing) { MATCH (thing)-[edge]-() WHERE NOT type(edge) IN ['CHANGED', 'FORMER'] "
        "  WITH DISTINCT edge, startNode(edge) AS a, endNode(edge) AS b " + _FORMER + "} "
        "WITH thing, labels(thing) AS labels "
        "SET thing.retracted_from = labels, thing.retracted_at = datetime.realtime(), thing.retracted_by = 'tester', "
        "  thing.retracted_reason = 'It was wrong.', thing.retracted_in = 'a change' "
        "REMOVE thing:$(labels) SET thing:Retracted",
        name=name,
    )


async def change_before(cypher: Cypher, name: str) -> None:
    """Leave an image of the entity's properties, as a statement does that overwrites them."""
    await cypher(
        "MATCH (thing:Entity {namespace: $namespace, name: $name}) "
        "CREATE (change:Change {namespace: $namespace, id: randomUUID(), at: datetime.realtime()})-[was:WAS]->(thing) "
        "SET was = properties(thing)",
        name=name,
    )
