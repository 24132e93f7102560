"""What every test may ask for: the real Neo4j, Qdrant engine and embedding model, and a namespace of its own."""

import itertools
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from neo4j import AsyncDriver, AsyncGraphDatabase, NotificationDisabledClassification

from server.core.home import Cache, Home
from server.core.settings import Settings
from server.embedding.embedder import FastEmbedder
from server.embedding.provision import model_folder
from server.graph.graph import Graph, connect
from server.graph.migrations import migrate
from server.graph.sequence import IdSequence
from server.local.class_data import installation
from server.local.neo4j import USER, LocalNeo4j
from server.local.ports import Ports, free_ports
from server.parts import Parts
from server.vectors.edge import EdgeStore
from server.vectors.projector import Projector
from server.vectors.remote import RemoteStore
from server.vectors.remote import connect as connect_qdrant

Rows = list[dict[str, Any]]
Cypher = Callable[..., Awaitable[Rows]]
Where = tuple[str, str, str]
"""A Neo4j: its URI, user and password."""
_numbers = itertools.count(1)
# A Neo4j of a test lives for seconds: it is ready sooner where Java compiles once, and not twice.
os.environ.setdefault("PRECEDENT_NEO4J_JVM", "-XX:TieredStopAtLevel=1")


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def namespace() -> str:
    """A namespace that no other test uses."""
    return f"test-{os.getpid()}-{next(_numbers)}"


@asynccontextmanager
async def fresh_neo4j(folders: pytest.TempPathFactory) -> AsyncIterator[Where]:
    """A real Neo4j, in a throw-away home on free ports."""
    settings = Settings()
    home = Home(folders.mktemp("neo4j"))
    server = LocalNeo4j(installation(Cache(settings.cache)), home, Ports(*free_ports(2)), jvm_flags=settings.neo4j_jvm)
    await server.start()
    try:
        yield server.uri, USER, server.password
    finally:
        await server.stop()


@pytest.fixture(scope="session")
async def neo4j(anyio_backend: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Where]:
    """The Neo4j of the test run.

    TEST_NEO4J_URI and TEST_NEO4J_PASSWORD name one that runs already, for a quicker turn while developing.
    """
    if uri := os.environ.get("TEST_NEO4J_URI"):
        yield uri, USER, os.environ["TEST_NEO4J_PASSWORD"]
        return
    async with fresh_neo4j(tmp_path_factory) as where:
        yield where


@pytest.fixture(scope="session")
async def driver(neo4j: Where) -> AsyncIterator[AsyncDriver]:
    """The bare driver, for what a test arranges or looks at behind the product's back."""
    uri, user, password = neo4j
    async with AsyncGraphDatabase.driver(
        uri,
        auth=(user, password),
        notifications_disabled_classifications=[NotificationDisabledClassification.UNRECOGNIZED],
    ) as bare:
        yield bare


@pytest.fixture(scope="session")
async def graph(neo4j: Where) -> AsyncIterator[Graph]:
    """The migrated graph of the test run; tests share it and keep apart by namespace."""
    async with connect(*neo4j, retry_time=30) as connected:
        await migrate(connected)
        yield connected


@pytest.fixture
def cypher(driver: AsyncDriver, namespace: str) -> Cypher:
    """Runs Cypher with `$namespace`, as a person in Neo4j Browser would."""

    async def run(text: Any, **parameters: Any) -> Rows:
        answer = await driver.execute_query(text, {"namespace": namespace, **parameters}, database_="neo4j")
        return [record.data() for record in answer.records]

    return run


@pytest.fixture(scope="session")
def sequence(graph: Graph) -> IdSequence:
    """Where integer ids come from."""
    return IdSequence(graph)


@pytest.fixture(scope="session")
async def embedder(anyio_backend: str) -> FastEmbedder:
    """The real embedding model, loaded once."""
    return await FastEmbedder.load(model_folder(Cache(Settings().cache)))


@pytest.fixture(scope="session")
async def vectors(anyio_backend: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[EdgeStore]:
    """The vectors of the test run; tests keep apart by namespace here, too."""
    store = EdgeStore(tmp_path_factory.mktemp("vectors"))
    yield store
    await store.close()


@pytest.fixture(scope="session")
async def projector(graph: Graph, vectors: EdgeStore, embedder: FastEmbedder) -> Projector:
    """Not running: a test projects when it says so, by `drain`, or runs it itself."""
    prepared = Projector(graph, vectors, embedder, poll=0.05)
    await prepared.drain()
    return prepared


@pytest.fixture
def parts(
    graph: Graph, sequence: IdSequence, vectors: EdgeStore, embedder: FastEmbedder, projector: Projector
) -> Parts:
    """What services are made of; a write waits for nothing."""
    return Parts(graph, sequence, vectors, embedder, projector, searchable_wait=0)


@pytest.fixture
async def no_vectors(anyio_backend: str) -> AsyncIterator[RemoteStore]:
    """A Qdrant server that is down."""
    store = RemoteStore(connect_qdrant("http://127.0.0.1:1"), "precedent")
    yield store
    await store.close()
