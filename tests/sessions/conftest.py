"""Sessions on a real Neo4j, Qdrant engine and embedding model; no background task links or projects."""

from collections.abc import AsyncIterator

import pytest

from server.core.principals import Principal, Role
from server.embedding.embedder import FastEmbedder
from server.graph.graph import Graph
from server.parts import Parts
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
def service(parts: Parts) -> SessionService:
    return SessionService(parts, summariser=ExtractiveSummariser(parts.embedder))


@pytest.fixture
def caller(namespace: str) -> Principal:
    return Principal("ada", "human", Role.ADMIN, namespace)
