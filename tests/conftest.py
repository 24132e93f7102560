"""What every test may ask for: the real Neo4j, a namespace of its own."""

import itertools
import os
from collections.abc import AsyncIterator

import pytest
from neo4j import AsyncDriver, AsyncGraphDatabase, NotificationDisabledClassification

from server.embedding.embedder import FastEmbedder
from server.embedding.provision import model_folder
from server.graph.graph import Graph, connect
from server.graph.migrations import migrate
from server.local.archive import installation
from server.local.home import Cache, Home
from server.local.neo4j import USER, LocalNeo4j
from server.local.ports import Ports, free_ports
from server.settings import Settings

_numbers = itertools.count(1)
# A Neo4j of a test lives for seconds: it is ready sooner where Java compiles once, and not twice.
os.environ.setdefault("PRECEDENT_NEO4J_JVM", "-XX:TieredStopAtLevel=1")
# A service of a test is asked little: what it does not need is not planned.
os.environ.setdefault("PRECEDENT_PLAN_AHEAD", "false")


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def namespace() -> str:
    """A namespace that no other test uses."""
    return f"test-{os.getpid()}-{next(_numbers)}"


@pytest.fixture(scope="session")
async def embedder(anyio_backend: str) -> FastEmbedder:
    """The real embedding model, loaded once."""
    return await FastEmbedder.load(model_folder(Cache(Settings().cache)))


@pytest.fixture(scope="session")
async def neo4j(anyio_backend: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[tuple[str, str, str]]:
    """A real Neo4j of the test run, in a throw-away home on free ports: its URI, user and password.

    TEST_NEO4J_URI and TEST_NEO4J_PASSWORD name one that runs already, for a quicker turn while developing.
    """
    if uri := os.environ.get("TEST_NEO4J_URI"):
        yield uri, USER, os.environ["TEST_NEO4J_PASSWORD"]
        return
    home = Home(tmp_path_factory.mktemp("neo4j"))
    settings = Settings()
    server = LocalNeo4j(installation(Cache(settings.cache)), home, Ports(*free_ports(2)), jvm_flags=settings.neo4j_jvm)
    await server.start()
    try:
        yield server.uri, USER, server.password
    finally:
        await server.stop()


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
