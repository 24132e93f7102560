"""The one place that wires real parts together."""

import contextlib
from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import anyio
import structlog
from fastapi import FastAPI
from mcp_types import CallToolResult, ReadResourceResult

from server import gauges
from server.access.gate import caller_of
from server.access.rate import RateLimit
from server.access.requests import request_of
from server.access.tokens import Tokens
from server.cognition.models import HybridSearch
from server.cognition.service import CognitionService
from server.cognition.settings import CognitionSettings
from server.decisions.service import DecisionService
from server.decisions.writing import DecisionSettings
from server.embedding.embedder import Embedder, FastEmbedder
from server.embedding.provision import model_folder
from server.entities.service import EntityService
from server.entries.service import EntryService, EntrySettings
from server.errors import PrecedentError, QueryTimeout, SetupError, Unavailable, VectorsUnavailable
from server.evaluation.judges import ModelPanel, Panel
from server.evaluation.service import EvaluationService, Search
from server.graph.graph import Graph
from server.graph.sequence import IdSequence
from server.graph.statements import statements
from server.journal.service import JournalService
from server.journal.tavily import Tavily
from server.mcp.executor import Executor
from server.mcp.server import Context, build_server
from server.mcp.toolsets import RESOURCES, TOOLSETS, published, published_resources
from server.metrics import Metrics
from server.providers import providers
from server.resources import Resource
from server.rest.app import build_rest
from server.sessions.extractive import ExtractiveSummariser
from server.sessions.service import SessionService
from server.sessions.summarising import LazySummariser, Summariser
from server.settings import Settings, Toolset
from server.stack import open_graph, paths_of, with_secrets
from server.vectors.edge import EdgeStore
from server.vectors.projector import Projector
from server.vectors.remote import RemoteStore
from server.vectors.remote import connect as connect_qdrant
from server.vectors.store import VectorStore

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class App:
    """Everything that runs, connected."""

    settings: Settings
    graph: Graph
    vectors: VectorStore
    embedder: Embedder
    projector: Projector
    metrics: Metrics
    services: dict[Toolset, object]
    executor: Executor
    http: FastAPI


@asynccontextmanager
async def open_app(settings: Settings) -> AsyncIterator[App]:
    """Connects the parts, keeps the projector running, and closes everything at the end.

    Raises `SetupError` and its kind: an unknown schema, another embedding model, a door without a lock.
    """
    settings = with_secrets(settings)
    async with AsyncExitStack() as stack:
        embedder = await load_embedder(settings)
        graph = await stack.enter_async_context(open_graph(settings))
        vectors = vector_store(settings)
        stack.push_async_callback(vectors.close)
        metrics, rate = Metrics(), RateLimit(settings.rate_limit)
        tokens = Tokens(graph)
        await _require_a_lock(settings, tokens)
        projector = Projector(graph, vectors, embedder)
        tavily = Tavily(settings.tavily_api_key, settings.tavily_url)
        stack.push_async_callback(tavily.close)
        panel = ModelPanel((settings.judge1_model, settings.judge2_model), providers(settings))
        stack.push_async_callback(panel.close)
        sequence = IdSequence(graph)
        services = _services(
            settings,
            graph,
            sequence,
            vectors=vectors,
            embedder=embedder,
            projector=projector,
            tavily=tavily,
            panel=panel,
        )
        journal = services["journal"]
        assert isinstance(journal, JournalService)
        executor = _executor(settings, services, metrics, rate)
        sessions = SessionService(
            graph,
            sequence,
            vectors,
            embedder,
            projector,
            summariser=_summariser(settings, embedder),
            searchable_wait=settings.searchable_wait,
        )

        async def call_tool(name: str, arguments: dict[str, Any], context: Context) -> CallToolResult:
            assert context.request is not None, "over HTTP every message comes with its request"
            scope = context.request.scope
            return await executor.call(name, arguments, caller_of(scope), request_of(scope))

        async def read_resource(resource: Resource, uri: str, context: Context) -> ReadResourceResult:
            assert context.request is not None, "over HTTP every message comes with its request"
            scope = context.request.scope
            return await executor.read(resource, uri, caller_of(scope), request_of(scope))

        mcp = build_server(
            published(settings.toolsets),
            call_tool,
            resources=published_resources(settings.toolsets),
            read_resource=read_resource,
        )
        http = build_rest(
            settings, tokens, metrics, rate=rate, projector=projector, mcp=mcp, sessions=sessions, services=services
        )
        # Another embedding model refuses the start; a Qdrant that is away does not, nor a Neo4j that is slow at first:
        # search goes on by words meanwhile.
        with contextlib.suppress(Unavailable, QueryTimeout):
            await projector.prepare()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(projector.run)
            tasks.start_soon(partial(sessions.linker.run, alone=settings.local))
            tasks.start_soon(journal.linker.run)
            tasks.start_soon(gauges.follow, graph, vectors, projector, metrics)
            if settings.plan_ahead:
                tasks.start_soon(_plan, graph, (*settings.toolsets, "sessions"))
            try:
                yield App(settings, graph, vectors, embedder, projector, metrics, services, executor, http)
            finally:
                tasks.cancel_scope.cancel()


async def load_embedder(settings: Settings) -> Embedder:
    """The provisioned embedding model of these settings; raises `EmbeddingUnavailable` where there is none."""
    return await FastEmbedder.load(model_folder(paths_of(settings).cache))


def vector_store(settings: Settings) -> VectorStore:
    """The Qdrant of these settings: a server where one is named, else the engine in this process."""
    if settings.qdrant_url:
        return RemoteStore(connect_qdrant(settings.qdrant_url, settings.qdrant_api_key), settings.qdrant_collection)
    return EdgeStore(paths_of(settings).home.vectors)


def _services(
    settings: Settings,
    graph: Graph,
    sequence: IdSequence,
    *,
    vectors: VectorStore,
    embedder: Embedder,
    projector: Projector,
    tavily: Tavily,
    panel: Panel,
) -> dict[Toolset, object]:
    decisions = DecisionSettings(cooldown=settings.write_cooldown, searchable_wait=settings.searchable_wait)
    entries = EntrySettings(
        project=settings.project,
        searchable_wait=settings.searchable_wait,
        docs_roots=settings.docs_roots,
        closed=(paths_of(settings).home.root, paths_of(settings).cache.root),
    )
    cognition = CognitionSettings(
        searchable_wait=settings.searchable_wait, fidelity_threshold=settings.fidelity_threshold
    )
    layers = CognitionService(graph, sequence, vectors, embedder, projector, settings=cognition)
    return {
        "cognition": layers,
        "evaluation": EvaluationService(
            graph, sequence, panel=panel, search=_measured(layers), embedding_model=embedder.fingerprint
        ),
        "decisions": DecisionService(graph, sequence, vectors, embedder, projector, settings=decisions),
        "entities": EntityService(graph, sequence, path_timeout=settings.query_timeout),
        "entries": EntryService(graph, sequence, vectors, embedder, projector, settings=entries),
        "journal": JournalService(
            graph,
            sequence,
            vectors=vectors,
            embedder=embedder,
            projector=projector,
            tavily=tavily,
            searchable_wait=settings.searchable_wait,
        ),
    }


def _measured(layers: CognitionService) -> Search:
    """The search that evaluation measures: `hybrid_search` as agents get it."""

    async def search(query: str, top_k: int, namespace: str) -> Sequence[int]:
        found = await layers.search.run(HybridSearch(query_text=query, top_k=top_k), namespace)
        if not found.by_meaning:
            # Half of a search would be kept as a bad day.
            raise VectorsUnavailable(
                "Meanings cannot be compared at the moment: nothing was measured. Try again later."
            )
        return [hit.id for hit in found.results]

    return search


def _executor(settings: Settings, services: dict[Toolset, object], metrics: Metrics, rate: RateLimit) -> Executor:
    serving = {tool.name: services[family] for family, tools in TOOLSETS.items() for tool in tools}
    serving |= {resource.uri: services[family] for family, resources in RESOURCES.items() for resource in resources}
    return Executor(published(settings.toolsets), serving, metrics, rate=rate, answer_limit=settings.answer_limit)


def _summariser(settings: Settings, embedder: Embedder) -> Summariser:
    name = settings.summary_model
    if name is None:
        return ExtractiveSummariser(embedder)

    def make() -> Summariser:
        # A second and 80 MB, for whoever has a model set.
        from server.language import language_model  # noqa: PLC0415
        from server.sessions.model_summariser import ModelSummariser  # noqa: PLC0415

        return ModelSummariser(language_model(name, providers(settings)))

    return LazySummariser(make)


async def _require_a_lock(settings: Settings, tokens: Tokens) -> None:
    """Source: design.md section 6, "Binding anything but loopback without tokens refuses to start"."""
    if not settings.loopback and not settings.agent_memory_secret and not await tokens.exist():
        raise SetupError(
            f"PRECEDENT_HOST={settings.host} opens the service to others, and there is no credential yet: "
            "set AGENT_MEMORY_SECRET, or make a token with `precedent token create --name NAME`."
        )


async def _plan(graph: Graph, families: Collection[str]) -> None:
    """Has the tools' statements planned, one at a time: the first caller of each would wait half a second for it."""
    for name in statements():
        if name.partition("/")[0] in {*families, "retrieval"}:
            try:
                await graph.plan(name)
            except PrecedentError as error:
                _log.warning("statement_not_planned", statement=name, reason=error.message)
