"""The work of `precedent verify`, `repair` and `rebuild`: compare, repair and recreate the vectors."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from server.composition import BATCHES, load_embedder, open_bulk_embedder, vector_store
from server.core.errors import HomeInUse
from server.core.settings import Settings
from server.core.types import BulkPlace
from server.embedding.embedder import Embedder
from server.graph.graph import Graph
from server.local.connection import open_graph_for_command
from server.vectors import repair as projection
from server.vectors.projector import Projector
from server.vectors.repair import Report
from server.vectors.store import VectorStore


@dataclass(frozen=True, slots=True)
class Collision:
    """Several decisions in force whose targets have the same key; `decisions` has pairs of id and target."""

    namespace: str
    decisions: tuple[tuple[str, str], ...]


async def verify(settings: Settings) -> tuple[Report, list[Collision]]:
    """Compare vectors and graph without changing them; also return the targets that collide."""
    async with _projection(settings, "verify") as (graph, vectors, embedder):
        await vectors.open(embedder.dimension, embedder.fingerprint)
        return await projection.verify(graph, vectors), await list_collisions(graph)


async def list_collisions(graph: Graph) -> list[Collision]:
    """List the colliding targets of all namespaces: decisions from before targets were compared by a key."""
    namespaces = sorted({row["namespace"] for row in await graph.run("projection/scopes")})
    return [
        Collision(namespace, tuple((each["id"], each["target"]) for each in row["decisions"]))
        for namespace in namespaces
        for row in await graph.run("decisions/colliding_targets", namespace=namespace)
    ]


async def repair(settings: Settings, progress: Callable[[int], None]) -> Report:
    """Repair what `verify` finds, index what is queued, and return the report of the comparison."""
    async with _projection(settings, "repair") as (graph, vectors, embedder):
        await vectors.open(embedder.dimension, embedder.fingerprint)
        report = await projection.repair(graph, vectors)
        await Projector(graph, vectors, embedder).drain(progress)
        return report


async def rebuild(settings: Settings, progress: Callable[[int], None], on: BulkPlace = "here") -> int:
    """Delete all vectors, index all records again, embedded here or on Ray, and return their number."""
    async with (
        _projection(settings, "rebuild") as (graph, vectors, local),
        open_bulk_embedder(settings, local, on) as embedder,
    ):
        records = await projection.rebuild(graph, vectors, embedder)
        await Projector(graph, vectors, embedder, batch=BATCHES[on]).drain(progress)
        return records


@asynccontextmanager
async def _projection(settings: Settings, command: str) -> AsyncIterator[tuple[Graph, VectorStore, Embedder]]:
    async with open_graph_for_command(settings, command) as (graph, owns_home):
        if not owns_home and settings.qdrant_url is None:
            raise HomeInUse(f"The running service uses the vectors. Run `precedent stop`, then `precedent {command}`.")
        # A comparison changes nothing, not even files that are damaged.
        vectors = vector_store(settings, keep_damaged=command == "verify")
        try:
            yield graph, vectors, await load_embedder(settings)
        finally:
            await vectors.close()
