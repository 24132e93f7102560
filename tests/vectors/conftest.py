"""An empty graph for each test: a projection is of a whole graph, and these tests count everything in it."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, LiteralString

import pytest
from neo4j import AsyncDriver, AsyncGraphDatabase
from neo4j.exceptions import ClientError
from tenacity import retry, retry_if_exception, stop_after_attempt, wait_random

from server.embedding.embedder import FastEmbedder
from server.graph.graph import Graph, connect
from server.graph.migrations import migrate
from server.vectors.edge import EdgeStore
from server.vectors.projector import Projector
from server.vectors.remote import RemoteStore
from server.vectors.remote import connect as connect_qdrant
from server.vectors.store import VectorStore, point_id
from tests.conftest import Where, empty
from tests.qdrant import Qdrant


@pytest.fixture(scope="session")
async def driver(neo4j: Where) -> AsyncIterator[AsyncDriver]:
    uri, user, password = neo4j
    async with AsyncGraphDatabase.driver(uri, auth=(user, password), notifications_min_severity="OFF") as bare:
        yield bare


@pytest.fixture(scope="session")
async def migrated(neo4j: Where) -> AsyncIterator[Graph]:
    async with connect(*neo4j, timeout=60, retry_time=30) as connected:
        await migrate(connected)
        yield connected


@pytest.fixture
async def graph(migrated: Graph, driver: AsyncDriver) -> AsyncIterator[Graph]:
    """The migrated graph, empty. No other test runs meanwhile, and none needs what an earlier one left."""
    await empty(driver)
    yield migrated
    # Projectors of other test files would find that the graph has another model than theirs.
    await driver.execute_query("MATCH (model:EmbeddingModel) DELETE model", database_="neo4j")


@pytest.fixture
async def edge_store(tmp_path: Path) -> AsyncIterator[EdgeStore]:
    made = EdgeStore(tmp_path / "vectors")
    yield made
    await made.close()


@pytest.fixture
async def server_store(qdrant: Qdrant, namespace: str) -> AsyncIterator[RemoteStore]:
    """A collection of the run's Qdrant server."""
    made = RemoteStore(connect_qdrant(qdrant.url), namespace)
    yield made
    await made.close()


@pytest.fixture
def store(edge_store: EdgeStore) -> VectorStore:
    """The engine in the process, unless a test file says otherwise."""
    return edge_store


@pytest.fixture
def projector(graph: Graph, store: VectorStore, embedder: FastEmbedder) -> Projector:
    return Projector(graph, store, embedder, poll=0.05)


def _is_gone(error: BaseException) -> bool:
    """Whether somebody else deleted a node between its being found and its being changed; found anew, it is gone."""
    return isinstance(error, ClientError) and (error.code or "").endswith("EntityNotFound")


class Records:
    """What writers of the graph do, behind the product's back: a script, a person in Neo4j Browser."""

    def __init__(self, driver: AsyncDriver) -> None:
        self._driver = driver

    @retry(retry=retry_if_exception(_is_gone), wait=wait_random(max=0.05), stop=stop_after_attempt(20), reraise=True)
    async def run(self, text: LiteralString, **parameters: Any) -> list[dict[str, Any]]:
        answer = await self._driver.execute_query(text, parameters)
        return [record.data() for record in answer.records]

    async def write(self, *keys: str, title: str = "", namespace: str = "n") -> None:
        """Creates passages of these ids, or raises the revision of those there are."""
        await self.run(
            """
            UNWIND $keys AS key
            MERGE (d:Passage {namespace: $namespace, id: key})
            SET d:Unprojected, d.name = key + ' ' + $title, d.text = 'because of ' + key,
                d.revision = coalesce(d.revision, 0) + 1
            """,
            keys=keys,
            title=title,
            namespace=namespace,
        )

    async def delete(self, *keys: str, namespace: str = "n") -> None:
        """Deletes passages, as the product would: whole, with their tombstones."""
        await self.run(
            """
            UNWIND $keys AS key
            OPTIONAL MATCH (d:Passage {namespace: $namespace, id: key}) DETACH DELETE d
            WITH DISTINCT key
            MERGE (:Tombstone {namespace: $namespace, kind: 'passage', key: key})
            """,
            keys=keys,
            namespace=namespace,
        )

    async def revisions(self) -> dict[str, int]:
        """Point id to revision, of every passage."""
        rows = await self.run("MATCH (d:Passage) RETURN d.namespace AS namespace, d.id AS key, d.revision AS revision")
        return {point_id(row["namespace"], "passage", row["key"]): row["revision"] for row in rows}

    async def queued(self) -> set[str]:
        return {row["key"] for row in await self.run("MATCH (n:Unprojected) RETURN n.id AS key")}

    async def tombstones(self) -> set[str]:
        return {row["key"] for row in await self.run("MATCH (t:Tombstone) RETURN t.key AS key")}


@pytest.fixture
def records(graph: Graph, driver: AsyncDriver) -> Records:
    return Records(driver)


async def held(store: VectorStore) -> dict[str, int]:
    """Point id to revision, of every point."""
    return {one.id: one.revision async for page in store.scan() for one in page}
