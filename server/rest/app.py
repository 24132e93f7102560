"""The HTTP application: REST, MCP, health, metrics and the API pages, behind one gate."""

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version
from typing import Annotated

import anyio
from fastapi import Depends, FastAPI, Response
from fastapi.responses import JSONResponse
from fastapi_offline import FastAPIOffline
from mcp.server.transport_security import TransportSecuritySettings
from pydantic import BaseModel, Field
from starlette.routing import BaseRoute, Route

from server.access.capacity import Capacity
from server.access.gate import Gate
from server.access.idempotency import KEYS
from server.access.rate import RateLimit
from server.access.requests import RequestLog
from server.access.tokens import Tokens
from server.core.errors import PrecedentError
from server.core.settings import Settings
from server.curation import routes as curation
from server.decisions import routes as decisions
from server.entities import routes as entities
from server.entries import routes as entries
from server.graph.idempotency import IdempotencyKeys
from server.history import routes as history
from server.interface.state import StateKey
from server.mcp.endpoint import Endpoint
from server.mcp.exchange import Exchange
from server.observability.metrics import Metrics
from server.rest import errors
from server.rest.access import admit
from server.rest.introduction import INTRODUCTION
from server.rest.limits import BodyLimit
from server.rest.openapi import TAGS, describe
from server.services import Services
from server.sessions import routes as sessions
from server.vectors.projector import Projector

PROJECTOR = StateKey[Projector]("projector")
METRICS = StateKey[Metrics]("metrics")
STARTED = StateKey[float]("started")
MAX_MCP_BODY = 4 * 1024 * 1024
MAX_BODY = 1024 * 1024
_HEALTH_SECONDS = 5.0


class Collections(BaseModel):
    memories: str = Field(examples=["Interaction"], description="Label of the nodes that are memories.")
    summaries: str = Field(examples=["Summary"], description="Label of the nodes that are summaries.")


class Database(BaseModel):
    connected: bool
    collections: Collections


class Health(BaseModel):
    """The health of the service; `uptime` is in seconds."""

    status: str = Field(examples=["healthy"])
    database: Database
    version: str
    uptime: int
    unprojected: int | None = Field(description="Records and deletions that wait to be indexed in Qdrant.")
    following: bool = Field(
        description="Whether Qdrant indexes new records; while not, search finds them by words only."
    )
    recreating: bool = Field(
        description="Whether lost or damaged vectors are being recreated; until then search finds by words only."
    )


def build_api() -> FastAPI:
    """Return every route with its description, and nothing behind them: `build_rest` adds that."""
    app = FastAPIOffline(
        redoc_url=None,
        title="Precedent",
        version=version("precedent"),
        description=INTRODUCTION,
        dependencies=[Depends(admit)],
        openapi_tags=TAGS,
        redirect_slashes=False,
        # Without the validator's badge, which would be fetched over the network.
        swagger_ui_parameters={"validatorUrl": None, "displayRequestDuration": True, "tryItOutEnabled": True},
    )
    _add_health(app)
    for routes in (sessions, decisions, entities, entries, history, curation):
        app.include_router(routes.build_routes())
    describe(app)
    return app


def build_rest(
    settings: Settings,
    services: Services,
    projector: Projector,
    *,
    tokens: Tokens,
    metrics: Metrics,
    rate: RateLimit,
    capacity: Capacity,
    keys: IdempotencyKeys,
    mcp: Endpoint,
) -> FastAPI:
    """Return the ASGI application of port 8001; its lifespan runs the MCP sessions."""
    # Stateless, so any replica can answer; JSON, because no answer of the service streams. The gate checks hosts.
    mcp_app = mcp.server.streamable_http_app(
        stateless_http=True,
        json_response=True,
        max_request_body_size=MAX_MCP_BODY,
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        async with mcp.server.session_manager.run():
            yield

    app = build_api()
    app.router.lifespan_context = lifespan
    decisions.SERVICE.store(app, services.decisions)
    curation.SERVICE.store(app, services.curation)
    entities.SERVICE.store(app, services.entities)
    entities.NAMES.store(app, services.names)
    entries.SERVICE.store(app, services.entries)
    history.SERVICE.store(app, services.history)
    sessions.SERVICE.store(app, services.sessions)
    KEYS.store(app, keys)
    PROJECTOR.store(app, projector)
    METRICS.store(app, metrics)
    STARTED.store(app, time.monotonic())
    # First, because routes are tried in their order.
    app.router.routes[:0] = [_add_exchange(route, mcp) for route in mcp_app.routes]
    errors.install(app)
    app.add_middleware(BodyLimit, most=MAX_BODY, others={"/mcp": MAX_MCP_BODY, sessions.IMPORT: settings.import_limit})
    app.add_middleware(
        Gate, settings=settings, tokens=tokens, rate=rate, capacity=capacity, to_response=errors.to_response
    )
    app.add_middleware(RequestLog, metrics=metrics)
    return app


def _add_exchange(route: BaseRoute, mcp: Endpoint) -> Route:
    """Return the SDK's route with the short way of plain requests before it."""
    assert isinstance(route, Route)
    return Route(route.path, endpoint=Exchange(route.app, mcp.call_tool, mcp.server.server_info_stamp))


def _add_health(app: FastAPI) -> None:
    @app.get(
        "/healthcheck",
        response_model=Health,
        responses={503: {"model": Health, "description": "The database does not answer."}},
        tags=["health"],
        operation_id="checkHealth",
    )
    async def healthcheck(
        projector: Annotated[Projector, Depends(PROJECTOR.load)], started: Annotated[float, Depends(STARTED.load)]
    ) -> Response:
        """Check whether the service and its database answer; 503 when the database does not."""
        connected, unprojected, recreating = True, None, False
        try:
            with anyio.fail_after(_HEALTH_SECONDS):
                behind = await projector.lag()
            unprojected, recreating = behind.records + behind.deletions, behind.recreating
        except (PrecedentError, TimeoutError):
            connected = False
        health = Health(
            status="healthy" if connected else "unhealthy",
            database=Database(
                connected=connected, collections=Collections(memories="Interaction", summaries="Summary")
            ),
            version=version("precedent"),
            uptime=int(time.monotonic() - started),
            unprojected=unprojected,
            following=projector.following,
            recreating=recreating,
        )
        return JSONResponse(health.model_dump(), status_code=200 if connected else 503)

    @app.get(
        "/metrics",
        tags=["health"],
        operation_id="readMetrics",
        response_class=Response,
        responses={200: {"description": "Lines of text.", "content": {"text/plain": {"schema": {"type": "string"}}}}},
    )
    async def read_metrics(metrics: Annotated[Metrics, Depends(METRICS.load)]) -> Response:
        """Counts and times of the service in Prometheus' text format."""
        return Response(metrics.text(), media_type="text/plain; version=0.0.4; charset=utf-8")
