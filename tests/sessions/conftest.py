"""Sessions on the real Neo4j, Qdrant engine and embedding model; nothing is linked or projected by itself."""

from collections.abc import AsyncIterator

import pytest

from server.embedding.embedder import FastEmbedder
from server.graph.graph import Graph
from server.graph.sequence import IdSequence
from server.principals import Principal, Role
from server.sessions.extractive import ExtractiveSummariser
from server.sessions.service import SessionService
from server.vectors.edge import EdgeStore
from server.vectors.projector import Projector


@pytest.fixture(scope="module")
async def vectors(tmp_path_factory: pytest.TempPathFactory, anyio_backend: str) -> AsyncIterator[EdgeStore]:
    store = EdgeStore(tmp_path_factory.mktemp("vectors"))
    yield store
    await store.close()


@pytest.fixture(scope="module")
async def projector(graph: Graph, vectors: EdgeStore, embedder: FastEmbedder) -> Projector:
    await vectors.open(embedder.dimension, embedder.fingerprint)
    return Projector(graph, vectors, embedder)


@pytest.fixture
def service(
    graph: Graph, sequence: IdSequence, vectors: EdgeStore, embedder: FastEmbedder, projector: Projector
) -> SessionService:
    return SessionService(
        graph,
        sequence,
        vectors,
        embedder,
        projector,
        summariser=ExtractiveSummariser(embedder),
        searchable_wait=0,
    )


@pytest.fixture
def caller(namespace: str) -> Principal:
    return Principal("ada", "human", Role.ADMIN, namespace)
