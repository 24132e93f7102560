"""The HTTP application: health, metrics, API pages, and MCP beside them, behind one gate."""

import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from importlib.metadata import version
from typing import Any

from fastapi import Depends, FastAPI, Response
from fastapi.responses import JSONResponse
from fastapi_offline import FastAPIOffline
from mcp.server import Server
from mcp.server.transport_security import TransportSecuritySettings
from pydantic import BaseModel, Field

from server.access.gate import Gate
from server.access.rate import RateLimit
from server.access.requests import RequestLog
from server.access.tokens import Tokens
from server.errors import PrecedentError
from server.metrics import Metrics
from server.rest.access import admitted
from server.settings import Settings
from server.vectors.projector import Lag

MAX_BODY = 4 * 1024 * 1024


class Collections(BaseModel):
    memories: str = Field(examples=["Interaction"])
    summaries: str = Field(examples=["Summary"])


class Database(BaseModel):
    connected: bool
    collections: Collections


_COLLECTIONS = Collections(memories="Interaction", summaries="Summary")


class Health(BaseModel):
    """memory-core-rest.md "GET /healthcheck"; `uptime` in seconds. Additive: `unprojected`, what Qdrant lags behind."""

    status: str = Field(examples=["healthy"])
    database: Database
    version: str
    uptime: int
    unprojected: int | None


def build_rest(
    settings: Settings,
    tokens: Tokens,
    metrics: Metrics,
    *,
    rate: RateLimit,
    lag: Callable[[], Awaitable[Lag]],
    mcp: Server[Any],
) -> FastAPI:
    """Returns the ASGI application of port 8001; its lifespan runs the MCP sessions."""
    started = time.monotonic()
    # Stateless, so any replica can answer; JSON, because no answer of the service streams. The gate checks hosts.
    mcp_app = mcp.streamable_http_app(
        stateless_http=True,
        json_response=True,
        max_request_body_size=MAX_BODY,
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
        description="Decisions, what replaced them and why, and the graph they are about.",
        lifespan=lifespan,
        dependencies=[Depends(admitted)],
    )

    @app.get("/healthcheck", response_model=Health, responses={503: {"model": Health}}, tags=["health"])
    async def healthcheck() -> Response:
        """Says whether the service and its database answer; 503 when the database does not."""
        connected, unprojected = True, None
        try:
            behind = await lag()
            unprojected = behind.records + behind.deletions
        except PrecedentError:
            connected = False
        health = Health(
            status="healthy" if connected else "unhealthy",
            database=Database(
                connected=connected, collections=Collections(memories="Interaction", summaries="Summary")
            ),
            version=version("precedent"),
            uptime=int(time.monotonic() - started),
            unprojected=unprojected,
        )
        return JSONResponse(health.model_dump(), status_code=200 if connected else 503)

    @app.get("/metrics", tags=["health"], response_class=Response)
    async def read_metrics() -> Response:
        """Counts and times of the service in Prometheus' text format."""
        return Response(metrics.text(), media_type="text/plain; version=0.0.4; charset=utf-8")

    app.router.routes.extend(mcp_app.routes)
    # The last one added is the first to see a request.
    app.add_middleware(Gate, settings=settings, tokens=tokens, rate=rate)
    app.add_middleware(RequestLog, metrics=metrics)
    return app
