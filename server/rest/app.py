"""The HTTP application: REST, health, metrics, API pages, and MCP beside them, behind one gate."""

import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from importlib.metadata import version
from typing import Any

import anyio
from fastapi import APIRouter, Depends, FastAPI, Response
from fastapi.responses import JSONResponse
from fastapi_offline import FastAPIOffline
from mcp.server import Server
from mcp.server.transport_security import TransportSecuritySettings
from pydantic import BaseModel, Field

from server.access.gate import Gate
from server.access.rate import RateLimit
from server.access.requests import RequestLog
from server.access.tokens import Tokens
from server.decisions import routes as decisions
from server.entities import routes as entities
from server.entries import routes as entries
from server.errors import PrecedentError
from server.metrics import Metrics
from server.rest import errors
from server.rest.access import admitted
from server.rest.limits import BodyLimit
from server.rest.openapi import TAGS, describe
from server.sessions.routes import IMPORT, build_routes
from server.sessions.service import SessionService
from server.settings import Settings, Toolset
from server.vectors.projector import Projector

_ROUTES: Mapping[Toolset, Callable[[Any], APIRouter]] = {
    "decisions": decisions.build_routes,
    "entities": entities.build_routes,
    "entries": entries.build_routes,
}
"""The families that are resources as well as tools: the same services."""
MAX_MCP_BODY = 4 * 1024 * 1024
MAX_BODY = 1024 * 1024
_HEALTH_SECONDS = 5.0
_DESCRIPTION = """
The memory of sessions over HTTP, beside [MCP](/mcp). Bodies are JSON in UTF-8, one MiB at most; imports are larger, and
stream. Times are ISO 8601 in UTC. Whatever fails is told as `{error, message, code}`, and has changed nothing.
"""


class Collections(BaseModel):
    memories: str = Field(examples=["Interaction"], description="Label of the nodes that are memories.")
    summaries: str = Field(examples=["Summary"], description="Label of the nodes that are summaries.")


class Database(BaseModel):
    connected: bool
    collections: Collections


class Health(BaseModel):
    """memory-core-rest.md "GET /healthcheck"; `uptime` in seconds. Additive: `unprojected`, `following`."""

    status: str = Field(examples=["healthy"])
    database: Database
    version: str
    uptime: int
    unprojected: int | None = Field(description="Records and deletions that Qdrant does not know of yet.")
    following: bool = Field(description="Whether Qdrant follows; while not, what is new is found by words alone.")


def build_rest(
    settings: Settings,
    tokens: Tokens,
    metrics: Metrics,
    *,
    rate: RateLimit,
    projector: Projector,
    mcp: Server[Any],
    sessions: SessionService,
    services: Mapping[Toolset, Any],
) -> FastAPI:
    """Returns the ASGI application of port 8001; its lifespan runs the MCP sessions."""
    # Stateless, so any replica can answer; JSON, because no answer of the service streams. The gate checks hosts.
    mcp_app = mcp.streamable_http_app(
        stateless_http=True,
        json_response=True,
        max_request_body_size=MAX_MCP_BODY,
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        async with mcp.session_manager.run():
            yield

    app = FastAPIOffline(
        redoc_url=None,
        title="Precedent",
        version=version("precedent"),
        description=_DESCRIPTION,
        lifespan=lifespan,
        dependencies=[Depends(admitted)],
        openapi_tags=TAGS,
        redirect_slashes=False,
        # The validator's badge would be asked for over the network.
        swagger_ui_parameters={"validatorUrl": None, "displayRequestDuration": True, "tryItOutEnabled": True},
    )
    _add_health(app, metrics, projector)
    app.include_router(build_routes(sessions))
    for family, routes in _ROUTES.items():
        app.include_router(routes(services.get(family)))
    app.router.routes.extend(mcp_app.routes)
    errors.install(app)
    describe(app)
    app.add_middleware(BodyLimit, most=MAX_BODY, others={"/mcp": MAX_MCP_BODY, IMPORT: settings.import_limit})
    app.add_middleware(Gate, settings=settings, tokens=tokens, rate=rate, told=errors.told)
    app.add_middleware(RequestLog, metrics=metrics)
    return app


def _add_health(app: FastAPI, metrics: Metrics, projector: Projector) -> None:
    started = time.monotonic()

    @app.get(
        "/healthcheck",
        response_model=Health,
        responses={503: {"model": Health, "description": "The database does not answer."}},
        tags=["health"],
        operation_id="checkHealth",
    )
    async def healthcheck() -> Response:
        """Says whether the service and its database answer; 503 when the database does not."""
        connected, unprojected = True, None
        try:
            with anyio.fail_after(_HEALTH_SECONDS):
                behind = await projector.lag()
            unprojected = behind.records + behind.deletions
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
        )
        return JSONResponse(health.model_dump(), status_code=200 if connected else 503)

    @app.get(
        "/metrics",
        tags=["health"],
        operation_id="readMetrics",
        response_class=Response,
        responses={200: {"description": "Lines of text.", "content": {"text/plain": {"schema": {"type": "string"}}}}},
    )
    async def read_metrics() -> Response:
        """Counts and times of the service in Prometheus' text format."""
        return Response(metrics.text(), media_type="text/plain; version=0.0.4; charset=utf-8")
