"""Evidence as agents leave it, at times that a test chooses."""

import itertools
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from server.graph.graph import Graph
from server.graph.sequence import IdSequence
from server.reflection.models import ReflectionReport
from server.reflection.service import ReflectionService
from tests.conftest import Cypher

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
Store = Callable[..., Awaitable[None]]
Reflect = Callable[..., Awaitable[ReflectionReport]]
_numbers = itertools.count(1_000_000)


@pytest.fixture
def store_evidence(cypher: Cypher) -> Store:
    """Stores memories, episodes, metrics or corrections about a thing, one an hour, the last `ago` before NOW.

    `properties` are those of each record; `count` is how many.
    """

    async def store(label: str, about: str, *, count: int = 1, ago: timedelta = timedelta(), **properties: Any) -> None:
        first = NOW - ago - timedelta(hours=count - 1)
        rows = [
            {
                "namespace": None,
                "id": f"{label}-{number}" if label != "Episode" else number,
                "node_id": number,
                "name": f"{label} {number}",
                "created_at": first + timedelta(hours=position),
                **properties,
            }
            for position, number in zip(range(count), _numbers, strict=False)
        ]
        await cypher(
            "MERGE (e:Entity {namespace: $namespace, name: $about}) "
            "ON CREATE SET e.node_id = $number, e.name_key = toLower($about), e.label = 'Entity' "
            "WITH e UNWIND $rows AS row CREATE (r:$($label)) SET r = row, r.namespace = $namespace "
            "CREATE (r)-[:MENTIONS]->(e)",
            about=about,
            number=next(_numbers),
            rows=rows,
            label=label,
        )

    return store


@pytest.fixture
def errors(store_evidence: Store) -> Store:
    """Stores memories of errors."""

    async def store(about: str, count: int = 3, **more: Any) -> None:
        await store_evidence("Entry", about, count=count, type="error", metadata="{}", **more)

    return store


@pytest.fixture
def results(store_evidence: Store) -> Store:
    """Stores memories of results."""

    async def store(about: str, count: int = 3, **more: Any) -> None:
        await store_evidence("Entry", about, **{"count": count, "type": "result", "metadata": "{}", **more})

    return store


@pytest.fixture
def reflection(graph: Graph, sequence: IdSequence) -> ReflectionService:
    return ReflectionService(graph, sequence)


@pytest.fixture
def reflect(reflection: ReflectionService, namespace: str) -> Reflect:
    """Makes a pass over the namespace of the test at NOW, or so long after it."""

    async def run(later: timedelta = timedelta(), **more: Any) -> ReflectionReport:
        return await reflection.reflect(namespace, at=NOW + later, **more)

    return run
