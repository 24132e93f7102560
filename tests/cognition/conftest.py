"""The rooms of the cognitive layers, on the real Neo4j."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from neo4j import AsyncDriver

from server.graph.graph import Graph
from server.graph.sequence import Sequence
from server.principals import Principal, Role

Cypher = Callable[..., Awaitable[list[dict[str, Any]]]]


@pytest.fixture(scope="session")
def sequence(graph: Graph) -> Sequence:
    return Sequence(graph)


@pytest.fixture
def caller(namespace: str) -> Principal:
    return Principal("tester", "agent", Role.AGENT, namespace)


@pytest.fixture
def cypher(driver: AsyncDriver, namespace: str) -> Cypher:
    """Runs Cypher with `$namespace`, as a person in Neo4j Browser would."""

    async def run(text: Any, **parameters: Any) -> list[dict[str, Any]]:
        answer = await driver.execute_query(text, {"namespace": namespace, **parameters}, database_="neo4j")
        return [record.data() for record in answer.records]

    return run
