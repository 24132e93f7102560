"""A thing that was retracted, a decision that nobody looked at for long, a draft against what is in force."""

from datetime import datetime

from neo4j import AsyncDriver

from server.core.principals import Principal
from server.entities.models import AddEdge
from server.entities.service import EntityService
from server.graph.graph import Graph
from server.graph.sequence import IdSequence
from tests.entities.corrections import retract_entity


async def look_back(graph: Graph, driver: AsyncDriver, caller: Principal, then: datetime) -> None:
    """Arrange the past of the namespace, for the saved queries to show."""

    async def cypher(text: str, **more: object) -> list[dict[str, object]]:
        answer = await driver.execute_query(text, {"namespace": caller.namespace, **more}, database_="neo4j")
        return [record.data() for record in answer.records]

    entities = EntityService(graph, IdSequence(graph))
    wrong = {"source_name": "MySQL", "relation": "STORES", "target_name": "Bolt"}
    await entities.add_edge(AddEdge.parse(wrong), caller)
    await retract_entity(cypher, "MySQL")
    await cypher(
        "MATCH (change:Change)-[:CHANGED]->(:Decision {namespace: $namespace, title: 'Neo4j is the only authority'}) "
        "SET change.at = $then",
        then=then,
    )
