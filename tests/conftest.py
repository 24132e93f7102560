"""What every test may ask for: the real Neo4j, a namespace of its own."""

import itertools
import os
from collections.abc import AsyncIterator

import pytest
from neo4j import AsyncDriver, AsyncGraphDatabase, NotificationDisabledClassification

from server.graph.graph import Graph, connect
from server.graph.migrations import migrate

_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def namespace() -> str:
    """A namespace that no other test uses."""
    return f"test-{os.getpid()}-{next(_numbers)}"


@pytest.fixture(scope="session")
async def neo4j(anyio_backend: str) -> AsyncIterator[tuple[str, str, str]]:
    """A real Neo4j: its URI, user and password."""
    yield os.environ["TEST_NEO4J_URI"], "neo4j", os.environ["TEST_NEO4J_PASSWORD"]


@pytest.fixture(scope="session")
async def driver(neo4j: tuple[str, str, str]) -> AsyncIterator[AsyncDriver]:
    """The bare driver, for what a test arranges or looks at behind the product's back."""
    uri, user, password = neo4j
    async with AsyncGraphDatabase.driver(
        uri,
        auth=(user, password),
        notifications_disabled_classifications=[NotificationDisabledClassification.UNRECOGNIZED],
    ) as bare:
        yield bare


@pytest.fixture(scope="session")
async def graph(neo4j: tuple[str, str, str]) -> AsyncIterator[Graph]:
    """The migrated graph of the test run; tests share it and keep apart by namespace."""
    async with connect(*neo4j, retry_time=30) as connected:
        await migrate(connected)
        yield connected
