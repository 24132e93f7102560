"""`precedent verify | repair | rebuild`: the projection compared, mended, made anew."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from server.app import load_embedder, vector_store
from server.embedding.embedder import Embedder
from server.errors import HomeInUse
from server.graph.graph import Graph
from server.settings import Settings
from server.stack import graph_beside
from server.vectors import repair as mend
from server.vectors.projector import Projector
from server.vectors.repair import Report
from server.vectors.store import VectorStore


async def verify(settings: Settings) -> Report:
    """Compares and changes nothing."""
    async with _projection(settings, "verify") as (graph, vectors, embedder):
        await vectors.open(embedder.dimension, embedder.fingerprint)
        return await mend.verify(graph, vectors)


async def repair(settings: Settings, progress: Callable[[int], None]) -> Report:
    """Mends what `verify` finds, and projects what is queued; reports what it found."""
    async with _projection(settings, "repair") as (graph, vectors, embedder):
        await vectors.open(embedder.dimension, embedder.fingerprint)
        report = await mend.repair(graph, vectors)
        await Projector(graph, vectors, embedder).drain(progress)
        return report


async def rebuild(settings: Settings, progress: Callable[[int], None]) -> int:
    """Drops every vector, projects every record anew, and returns how many there are."""
    async with _projection(settings, "rebuild") as (graph, vectors, embedder):
        records = await mend.rebuild(graph, vectors, embedder)
        await Projector(graph, vectors, embedder).drain(progress)
        return records


@asynccontextmanager
async def _projection(settings: Settings, command: str) -> AsyncIterator[tuple[Graph, VectorStore, Embedder]]:
    async with graph_beside(settings, command) as (graph, ours):
        if not ours and settings.qdrant_url is None:
            raise HomeInUse(f"The running service owns the vectors: `precedent stop`, then `precedent {command}`.")
        vectors = vector_store(settings)
        try:
            yield graph, vectors, await load_embedder(settings)
        finally:
            await vectors.close()
