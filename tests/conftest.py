"""What every test may ask for: the real Neo4j, Qdrant engine and embedding model, and a namespace of its own."""

import itertools
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
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
from server.local.neo4j import USER
from server.parts import Parts
from server.vectors.edge import EdgeStore
from server.vectors.projector import Projector
from server.vectors.remote import RemoteStore
from server.vectors.remote import connect as connect_qdrant
from tests.homes import make_neo4j, prepare_home
from tests.qdrant import Qdrant, serving

Rows = list[dict[str, Any]]
Cypher = Callable[..., Awaitable[Rows]]
Where = tuple[str, str, str]
"""A Neo4j: its URI, user and password."""
_numbers = itertools.count(1)
# Most Neo4js of tests live for seconds: they are ready sooner where Java compiles once, and not twice.
os.environ.setdefault("PRECEDENT_NEO4J_JVM", "-XX:TieredStopAtLevel=1")


_FIRST = (
    # They change the schema: Neo4j then plans all statements anew, of which it has not yet planned any.
    "tests/graph/test_migrations.py",
    "tests/graph/test_target_keys.py",
    # They take longest: at the end, one process would work while the other has nothing left.
    "tests/interaction/test_service.py",
    "tests/interaction/test_stdio.py",
    "tests/ingest/test_interruption.py",
    "tests/local/test_neo4j.py",
    "tests/local/test_status.py",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    places = {Path(__file__).parent.parent / file: place for place, file in enumerate(_FIRST)}
    items.sort(key=lambda item: places.get(item.path, len(places)))


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def namespace() -> str:
    """A namespace that no other test uses."""
    return f"test-{os.getpid()}-{next(_numbers)}"


@pytest.fixture(scope="session")
async def neo4j(anyio_backend: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Where]:
    """The Neo4j of the test run.

    TEST_NEO4J_URI and TEST_NEO4J_PASSWORD name one that runs already, for a quicker turn while developing.
    """
    if uri := os.environ.get("TEST_NEO4J_URI"):
        yield uri, USER, os.environ["TEST_NEO4J_PASSWORD"]
        return
    home = Home(tmp_path_factory.mktemp("neo4j") / "home")
    await prepare_home(tmp_path_factory, home)
    server = make_neo4j(home, lives_long=True)
    await server.start()
    try:
        yield server.uri, USER, server.password
    finally:
        await server.stop()


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


async def empty(driver: AsyncDriver) -> None:
    """Delete everything that tests have written."""
    async with driver.session(database="neo4j") as session:
        left = "MATCH (n) WHERE NOT n:Migration CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 2000 ROWS"
        await (await session.run(left)).consume()


async def delete_passages(driver: AsyncDriver) -> None:
    """Delete the passages of earlier tests."""
    async with driver.session(database="neo4j") as session:
        left = "MATCH (n:Passage) CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 2000 ROWS"
        await (await session.run(left)).consume()


@pytest.fixture
async def no_passages(driver: AsyncDriver) -> None:
    """No passages of earlier tests: an application with vectors of its own would embed all of them again."""
    await delete_passages(driver)


@pytest.fixture(scope="session")
async def graph(neo4j: Where) -> AsyncIterator[Graph]:
    """The migrated graph of the test run; tests share it and keep apart by namespace."""
    async with connect(*neo4j, timeout=60, retry_time=30) as connected:
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
async def qdrant(anyio_backend: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Qdrant]:
    """The Qdrant server of the test run; tests keep apart by collection."""
    async with serving(tmp_path_factory.mktemp("qdrant")) as node:
        yield node


class FocusedProjector(Projector):
    """It projects what the test in this namespace wrote.

    What earlier tests left in the queue is deleted: to embed it would take minutes.
    """

    namespace = ""

    def __init__(self, driver: AsyncDriver, *parts: Any, **options: Any) -> None:
        super().__init__(*parts, **options)
        self._bare = driver

    async def drain(self, report: Callable[[int], None] = lambda _: None) -> int:
        await self._clear()
        return await super().drain(report)

    async def run(self) -> None:
        await self._clear()
        await super().run()

    async def _clear(self) -> None:
        await self._bare.execute_query(
            "MATCH (left:Unprojected) WHERE NOT left.namespace STARTS WITH $namespace DETACH DELETE left",
            namespace=self.namespace,
            database_="neo4j",
        )


@pytest.fixture(scope="session")
async def idle_projector(
    driver: AsyncDriver, graph: Graph, vectors: EdgeStore, embedder: FastEmbedder
) -> FocusedProjector:
    # What earlier tests projected elsewhere would be embedded again.
    await delete_passages(driver)
    prepared = FocusedProjector(driver, graph, vectors, embedder, poll=0.05)
    await prepared.drain()
    return prepared


@pytest.fixture
def projector(idle_projector: FocusedProjector, namespace: str) -> Projector:
    """Not running: a test projects when it says so, by `drain`, or runs it itself."""
    idle_projector.namespace = namespace
    return idle_projector


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
