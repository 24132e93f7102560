"""The work of `precedent verify`, `repair` and `rebuild`: compare, repair and recreate the vectors."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

from rich.console import Console
from rich.progress import Progress

from cli.provisioning import ConsoleProgress
from server.composition import BATCHES, load_embedder, open_bulk_embedder, vector_store
from server.core.errors import HomeInUse
from server.core.home import Cache
from server.core.settings import Settings
from server.core.setup_progress import SetupProgress
from server.core.types import BulkPlace, Precision, Row
from server.embedding.choice import ModelChoice
from server.embedding.embedder import Embedder, FastEmbedder
from server.embedding.other_models import choice_of, provision_choice
from server.graph.graph import Graph
from server.local.connection import local_paths, open_graph_for_command
from server.local.setup import lock_cache
from server.vectors import repair as projection
from server.vectors.model_change import change_model
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


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """The number of records and their embedding model; whether another one, and whether a service has yet to use it."""

    records: int
    model: ModelChoice
    is_changed: bool
    is_awaited: bool


async def rebuild(
    settings: Settings, console: Console, on: BulkPlace, model: str | None, precision: Precision | None
) -> Rebuilt:
    """Index all records again, embedded here or on Ray.

    With another model than before, the new vectors are made beside the former ones, also while the service runs. With
    the same model, all vectors are deleted first.
    """
    async with open_graph_for_command(settings, "rebuild") as (graph, owns_home):
        known = await graph.one("projection/model")
        choice = _choose(settings, known, model, precision)
        with ConsoleProgress(console) as setup:
            local = await _provide(local_paths(settings).cache, choice, setup)
        is_changed = known is not None and known["fingerprint"] != local.fingerprint
        if not is_changed:
            _require_vectors(settings, "rebuild", owns_home=owns_home)
        vectors = vector_store(settings)
        try:
            with Progress(console=console) as bars:
                task = bars.add_task("Indexing", total=None)
                async with open_bulk_embedder(local, on) as embedder:
                    work = _Work(graph, vectors, embedder, BATCHES[on], lambda done: bars.advance(task, done))
                    records = await (work.change() if is_changed else work.rebuild())
                    if is_changed and owns_home and not vectors.shared:
                        await Projector(graph, vectors, embedder).drain()
        finally:
            await vectors.close()
        return Rebuilt(records, choice, is_changed, is_awaited=is_changed and (vectors.shared or not owns_home))


@dataclass(frozen=True, slots=True)
class _Work:
    graph: Graph
    vectors: VectorStore
    embedder: Embedder
    batch: int
    progress: Callable[[int], None]

    async def change(self) -> int:
        return await change_model(self.graph, self.vectors, self.embedder, self.progress, self.batch)

    async def rebuild(self) -> int:
        records = await projection.rebuild(self.graph, self.vectors, self.embedder)
        await Projector(self.graph, self.vectors, self.embedder, batch=self.batch).drain(self.progress)
        return records


def _choose(settings: Settings, known: Row | None, model: str | None, precision: Precision | None) -> ModelChoice:
    """Return the model to embed with: that of the command, of the settings, of the graph, or the default."""
    current = choice_of(local_paths(settings).cache, known["fingerprint"]) if known else None
    if model is None and settings.embedding_model is None and current and precision:
        return replace(current, precision=precision)
    given = {"embedding_model": model, "embedding_precision": precision}
    asked = settings.model_copy(update={name: value for name, value in given.items() if value is not None})
    return ModelChoice.of(asked) or current or ModelChoice.build()


async def _provide(cache: Cache, choice: ModelChoice, progress: SetupProgress) -> FastEmbedder:
    """Load a model; download, copy or convert it first where that is necessary."""
    async with lock_cache(cache, progress):
        return await FastEmbedder.load(await provision_choice(cache, choice, progress))


def _require_vectors(settings: Settings, command: str, *, owns_home: bool) -> None:
    if not owns_home and settings.qdrant_url is None:
        raise HomeInUse(f"The running service uses the vectors. Run `precedent stop`, then `precedent {command}`.")


@asynccontextmanager
async def _projection(settings: Settings, command: str) -> AsyncIterator[tuple[Graph, VectorStore, Embedder]]:
    async with open_graph_for_command(settings, command) as (graph, owns_home):
        _require_vectors(settings, command, owns_home=owns_home)
        # A comparison changes nothing, not even files that are damaged.
        vectors = vector_store(settings, keep_damaged=command == "verify")
        try:
            yield graph, vectors, await load_embedder(settings, graph)
        finally:
            await vectors.close()
