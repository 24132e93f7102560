"""The composition root: makes the real parts of the settings, and the services on them."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial

from anyio import to_thread

from server.cognition.models import HybridSearch
from server.cognition.service import CognitionService
from server.core.errors import ModelMismatch, VectorsUnavailable
from server.core.home import Cache
from server.core.principals import Principal
from server.core.settings import Settings
from server.core.types import BulkPlace
from server.curation.service import CurationService
from server.decisions.service import DecisionService
from server.embedding.choice import ModelChoice
from server.embedding.embedder import CurrentEmbedder, Embedder, FastEmbedder
from server.embedding.on_ray import embed_on_ray
from server.embedding.other_models import find_by_choice, find_by_fingerprint
from server.embedding.provision import model_folder
from server.entities.merging import NameCorrections
from server.entities.service import EntityService
from server.entries.service import EntryService, EntrySettings
from server.evaluation.judges import ModelPanel
from server.evaluation.service import EvaluationService, MeasuredSearch
from server.graph.graph import Graph
from server.graph.sequence import IdSequence
from server.history.service import HistoryService
from server.journal.service import JournalService
from server.journal.tavily import Tavily
from server.language_models.providers import list_providers
from server.local.connection import local_paths, open_graph
from server.parts import Parts
from server.reflection.service import ReflectionService
from server.services import Services
from server.sessions.extractive import ExtractiveSummariser
from server.sessions.service import SessionService
from server.sessions.summarising import LazySummariser, Summariser
from server.vectors.edge import EdgeStore
from server.vectors.projector import BATCH, Projector
from server.vectors.remote import Layout, RemoteStore
from server.vectors.remote import connect as connect_qdrant
from server.vectors.store import VectorStore

BATCHES: Mapping[BulkPlace, int] = {"here": BATCH, "ray": 2_048}
"""How many records bulk work embeds in one step: enough for all workers of a cluster."""


@asynccontextmanager
async def open_parts(settings: Settings) -> AsyncIterator[Parts]:
    """Open the graph, the vectors and the embedding model of these settings; nothing is projected yet.

    Raises `SetupError` and its kinds: no embedding model, an unknown schema.
    """
    async with AsyncExitStack() as stack:
        graph = await stack.enter_async_context(open_graph(settings))
        cache = local_paths(settings).cache
        embedder = CurrentEmbedder(await load_embedder(settings, graph), partial(load_by_fingerprint, cache))
        vectors = vector_store(settings)
        stack.push_async_callback(vectors.close)
        yield _parts(graph, vectors, embedder, settings.searchable_wait)


@asynccontextmanager
async def open_services(settings: Settings, parts: Parts) -> AsyncIterator[Services]:
    """Make every service on these parts, with the clients of the web search and of the judges."""
    async with AsyncExitStack() as stack:
        tavily = Tavily(settings.tavily_api_key, settings.tavily_url)
        stack.push_async_callback(tavily.close)
        panel = ModelPanel((settings.judge1_model, settings.judge2_model), list_providers(settings))
        stack.push_async_callback(panel.close)
        cognition = CognitionService(parts, fidelity_threshold=settings.fidelity_threshold)
        yield Services(
            decisions=DecisionService(parts, cooldown=settings.write_cooldown),
            entities=EntityService(parts.graph, parts.sequence, path_timeout=settings.query_timeout),
            entries=EntryService(parts, settings=_entry_settings(settings)),
            journal=JournalService(parts, tavily=tavily),
            cognition=cognition,
            evaluation=EvaluationService(
                parts.graph,
                parts.sequence,
                panel=panel,
                search=_insight_search(cognition),
                embedding_model=lambda: parts.embedder.fingerprint,
            ),
            sessions=SessionService(parts, summariser=_summariser(settings, parts.embedder)),
            curation=CurationService(parts.graph, parts.projector.wake),
            names=NameCorrections(parts),
            history=HistoryService(parts),
            reflection=ReflectionService(parts.graph, parts.sequence),
        )


@asynccontextmanager
async def decision_service(settings: Settings, graph: Graph) -> AsyncIterator[DecisionService]:
    """The decisions family alone, for a command that searches without the service; nothing is projected.

    Raises `EmbeddingUnavailable`, `ModelMismatch`.
    """
    vectors = vector_store(settings)
    try:
        parts = _parts(graph, vectors, await load_embedder(settings, graph), searchable_wait=0)
        await parts.projector.prepare()
        yield DecisionService(parts, cooldown=settings.write_cooldown)
    finally:
        await vectors.close()


async def parts_beside_service(settings: Settings, graph: Graph) -> Parts:
    """The parts for a command that corrects beside the running service: the vectors are never opened.

    Raises `EmbeddingUnavailable`.
    """
    return _parts(graph, vector_store(settings), await load_embedder(settings, graph), searchable_wait=0)


async def load_embedder(settings: Settings, graph: Graph | None = None) -> FastEmbedder:
    """The embedding model of these settings; where they name none, that of the graph, and of a new graph the default.

    Raises `EmbeddingUnavailable` where it is not provisioned, and `ModelMismatch` for that of the graph.
    """
    cache = local_paths(settings).cache
    known = await graph.one("projection/model") if graph else None
    if (choice := ModelChoice.of(settings)) is not None:
        in_use = known["fingerprint"] if known else None
        folder = await to_thread.run_sync(find_by_choice, cache, choice, in_use)
        # The error of a folder that is missing says what to do.
        return await FastEmbedder.load(folder or cache.models / "none")
    if known is None:
        return await FastEmbedder.load(model_folder(cache))
    folder = await to_thread.run_sync(find_by_fingerprint, cache, known["fingerprint"])
    if folder is None:
        raise ModelMismatch(
            f"The vectors of this graph were made with the embedding model {known['name']}, in a form that this "
            "machine does not have. Set PRECEDENT_EMBEDDING_MODEL and run `precedent setup`, or run `precedent "
            "rebuild` to embed everything with the default model."
        )
    return await FastEmbedder.load(folder)


async def load_by_fingerprint(cache: Cache, fingerprint: str) -> Embedder:
    """The embedding model with this fingerprint; raises `EmbeddingUnavailable` where the cache does not have it."""
    folder = await to_thread.run_sync(find_by_fingerprint, cache, fingerprint)
    return await FastEmbedder.load(folder or cache.models / "none")


@asynccontextmanager
async def open_bulk_embedder(local: FastEmbedder, on: BulkPlace) -> AsyncIterator[Embedder]:
    """Give the model `local` for bulk work, in this process or on Ray; raises `SetupError` where there is no Ray."""
    if on == "here":
        yield local
        return
    async with embed_on_ray(local) as embedder:
        yield embedder


def vector_store(settings: Settings, *, keep_damaged: bool = False) -> VectorStore:
    """The Qdrant of these settings: a server where one is named, else the engine in this process.

    With `keep_damaged`, damaged files raise `VectorsDamaged` and are not set aside.
    """
    if settings.qdrant_url:
        first, *others = (
            connect_qdrant(url.strip(), settings.qdrant_api_key, settings.qdrant_grpc_port)
            for url in settings.qdrant_url.split(",")
        )
        layout = Layout(settings.qdrant_shards, settings.qdrant_replicas, settings.qdrant_write_consistency)
        return RemoteStore(first, settings.qdrant_collection, layout, *others)
    return EdgeStore(local_paths(settings).home.vectors, keep_damaged=keep_damaged)


def _parts(graph: Graph, vectors: VectorStore, embedder: Embedder, searchable_wait: float) -> Parts:
    projector = Projector(graph, vectors, embedder)
    return Parts(graph, IdSequence(graph), vectors, embedder, projector, searchable_wait)


def _entry_settings(settings: Settings) -> EntrySettings:
    paths = local_paths(settings)
    return EntrySettings(
        project=settings.project, docs_roots=settings.docs_roots, closed=(paths.home.root, paths.cache.root)
    )


def _insight_search(cognition: CognitionService) -> MeasuredSearch:
    """The search that evaluation measures: `hybrid_search` as agents get it."""

    async def search(query: str, top_k: int, caller: Principal) -> Sequence[int]:
        found = await cognition.hybrid_search(HybridSearch(query_text=query, top_k=top_k), caller)
        if not found.by_meaning:
            # Half of a search would be kept as a bad day.
            raise VectorsUnavailable(
                "Meanings cannot be compared at the moment: nothing was measured. Try again later."
            )
        return [hit.id for hit in found.results]

    return search


def _summariser(settings: Settings, embedder: Embedder) -> Summariser:
    name = settings.summary_model
    if name is None:
        return ExtractiveSummariser(embedder)

    def make() -> Summariser:
        # A second and 80 MB, for whoever has a model set.
        from server.language_models.models import load_language_model  # noqa: PLC0415
        from server.sessions.model_summariser import ModelSummariser  # noqa: PLC0415

        return ModelSummariser(load_language_model(name, list_providers(settings)))

    return LazySummariser(make)
