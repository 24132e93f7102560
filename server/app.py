"""The running service: the services on their parts, MCP and HTTP before them, and the work in the background."""

import contextlib
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Any

import anyio
import structlog
from fastapi import FastAPI

from server.access.capacity import Capacity
from server.access.rate import RateLimit
from server.access.tokens import Tokens
from server.composition import open_parts, open_services
from server.core.errors import QueryTimeout, SetupError, Unavailable
from server.core.settings import Settings
from server.decisions.reindexing import reindex_decisions
from server.graph.idempotency import IdempotencyKeys
from server.graph.planning import plan_ahead as plan_statements
from server.local.connection import add_secrets
from server.mcp.endpoint import build_endpoint
from server.mcp.executor import Executor
from server.mcp.toolsets import bound_resources, bound_tools, published, published_families
from server.observability import gauges
from server.observability.metrics import Metrics
from server.parts import Parts
from server.rest.app import build_rest
from server.retrieval.reindexing import Reindexer
from server.services import Services

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class App:
    """Everything that runs, connected."""

    settings: Settings
    parts: Parts
    services: Services
    metrics: Metrics
    executor: Executor
    http: FastAPI


@asynccontextmanager
async def open_app(settings: Settings, *, plan_ahead: bool = False) -> AsyncIterator[App]:
    """Connect the parts, run the background work, and close everything at the end.

    `plan_ahead` lets Neo4j plan the tools' statements in the background: otherwise the first caller of each waits.
    Raises `SetupError` and its kinds: an unknown schema, another embedding model, an open address without a credential.
    """
    settings = add_secrets(settings)
    async with open_parts(settings) as parts, open_services(settings, parts) as services:
        tokens = Tokens(parts.graph)
        await _require_credential(settings, tokens)
        metrics, rate, keys = Metrics(), RateLimit(settings.rate_limit), IdempotencyKeys(parts.graph)
        capacity = Capacity(settings.requests_at_once)
        executor = Executor(
            bound_tools(services, published(settings)),
            metrics,
            answer_limit=settings.answer_limit,
            resources=bound_resources(services),
            rate=rate,
            capacity=capacity,
            keys=keys,
        )
        mcp = build_endpoint(settings, executor)
        http = build_rest(
            settings,
            services,
            parts.projector,
            tokens=tokens,
            metrics=metrics,
            rate=rate,
            capacity=capacity,
            keys=keys,
            mcp=mcp,
        )
        # Another embedding model refuses the start; a Qdrant that is away does not, nor a Neo4j that is slow at first:
        # search goes on by words meanwhile.
        with contextlib.suppress(Unavailable, QueryTimeout):
            await parts.projector.prepare()
        app = App(settings, parts, services, metrics, executor, http)
        async with anyio.create_task_group() as tasks:
            for work in _background_work(app):
                tasks.start_soon(work)
            if plan_ahead:
                families = {*published_families(settings.toolsets), "sessions"}
                tasks.start_soon(plan_statements, parts.graph, families, metrics.get_quiet_seconds)
            try:
                yield app
            finally:
                tasks.cancel_scope.cancel()


def _background_work(app: App) -> list[Callable[[], Coroutine[Any, Any, None]]]:
    """What runs beside the calls until the end."""
    graph, projector = app.parts.graph, app.parts.projector
    reindexer = Reindexer(graph, projector.wake, [partial(reindex_decisions, graph, app.parts.sequence)])
    return [
        projector.run,
        partial(app.services.sessions.linker.run, alone=app.settings.local),
        app.services.journal.linker.run,
        app.services.entries.expiry.run,
        reindexer.run,
        partial(app.services.reflection.run, timedelta(hours=app.settings.reflect_every)),
        partial(gauges.measure_event_loop, app.metrics),
        partial(gauges.update_gauges, graph, app.parts.vectors, projector, app.metrics),
    ]


async def _require_credential(settings: Settings, tokens: Tokens) -> None:
    """Raise `SetupError` where other machines can reach the service without a credential. Source: SVC-22."""
    if not settings.loopback and not settings.agent_memory_secret and not await tokens.any_exist():
        raise SetupError(
            f"PRECEDENT_HOST={settings.host} opens the service to other machines, but there is no credential yet: "
            "set AGENT_MEMORY_SECRET, or create a token with `precedent token create --name NAME`."
        )
