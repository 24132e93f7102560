"""stdio: a thin bridge to the service, which it starts when none runs.

Source: design.md section 7, "stdio". The bridge answers `initialize` and the lists of tools and resources itself, at
once; a call waits until the service answers and tells its progress meanwhile. stdout carries the protocol and nothing
else.
"""

import json
import subprocess
import sys
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import anyio
import httpx2
import structlog
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client
from mcp.server.stdio import stdio_server
from mcp_types import CallToolResult, ReadResourceResult

from server.access.bearer import CALLER_HEADER
from server.errors import GraphUnavailable, PrecedentError, SetupError, Unavailable
from server.local.owner import owner
from server.mcp.answers import contents, failure
from server.mcp.server import Context, build_server
from server.mcp.toolsets import published, published_resources
from server.resources import Resource
from server.settings import Settings
from server.stack import paths_of, with_secrets

T = TypeVar("T")
_log = structlog.get_logger(__name__)
_ERA = "2026-07-28"
"""The stateless era: a client of it needs no handshake."""
_START_SECONDS = 600.0
_LOOK_SECONDS = 0.25


class Bridge:
    """Forwards calls and reads to the service of these settings, in the name of their principal."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._tools = {tool.name: tool for tool in published(settings.toolsets)}
        self._starting = anyio.Lock()
        self._service: subprocess.Popen[bytes] | None = None
        self._ready = False

    async def serve(self) -> None:
        """Speaks MCP on stdin and stdout until stdin ends."""
        server = build_server(
            self._tools.values(),
            self._call,
            resources=published_resources(self._settings.toolsets),
            read_resource=self._read,
        )
        async with (
            httpx2.AsyncClient(timeout=httpx2.Timeout(60.0, connect=2.0)) as self._http,
            stdio_server() as (reading, writing),
        ):
            await server.run(reading, writing, server.create_initialization_options())

    async def _call(self, name: str, arguments: dict[str, Any], context: Context) -> CallToolResult:
        tool = self._tools.get(name)
        try:
            return await self._forwarded(
                name,
                lambda client: client.call_tool(name, arguments),
                context,
                repeatable=tool is not None and tool.read_only,
            )
        except PrecedentError as error:
            return failure(tool.envelope(error, name) if tool else {"error": error.message})

    async def _read(self, resource: Resource, uri: str, context: Context) -> ReadResourceResult:
        try:
            return await self._forwarded(
                resource.uri, lambda client: client.read_resource(uri), context, repeatable=True
            )
        except PrecedentError as error:
            return contents(uri, resource.envelope(error, uri), limit=self._settings.answer_limit)

    async def _forwarded(
        self, name: str, ask: Callable[[Client], Awaitable[T]], context: Context, *, repeatable: bool
    ) -> T:
        """Asks the service; a second time, where that changes nothing and the service was lost meanwhile."""
        for again in (True, False):
            await self._until_ready(context)
            # A client a call: a connection that is refused ends the client that tried. In this era there is no
            # handshake, and the connections themselves are kept by `_http`.
            transport = streamable_http_client(f"{self._settings.service_url}/mcp", http_client=self._http)
            try:
                async with Client(transport, mode=_ERA) as client:
                    return await ask(client)
            except (httpx2.HTTPError, MCPError, OSError, ExceptionGroup) as error:
                self._ready = False
                _log.warning("service_lost", tool=name, error=type(error).__name__)
                if not (again and repeatable):
                    raise GraphUnavailable(
                        "The service went away during the call. Retry in a few seconds; "
                        "look first whether a write was stored."
                    ) from error
        raise AssertionError("unreachable")

    async def _until_ready(self, context: Context) -> None:
        """Waits until the service answers, starting it where this is ours to do."""
        if self._ready:
            return
        async with self._starting:
            waited = 0.0
            while not await self._healthy():
                if waited >= _START_SECONDS:
                    raise Unavailable("Precedent did not start within 10 minutes; `precedent status` says more.")
                self._ensure_running()
                if waited % 1 == 0:
                    await context.session.report_progress(waited, None, "Precedent is starting.")
                await anyio.sleep(_LOOK_SECONDS)
                waited += _LOOK_SECONDS
            self._http.headers.update(self._credential())
            self._ready = True

    async def _healthy(self) -> bool:
        try:
            answer = await self._http.get(f"{self._settings.service_url}/healthcheck")
        except httpx2.HTTPError:
            return False
        return answer.status_code == httpx2.codes.OK

    def _ensure_running(self) -> None:
        """Starts the service unless somebody has; raises `SetupError` when the one that we started is gone again."""
        if owner(paths_of(self._settings).home) is not None:
            return
        if self._service is None:
            # A session of its own, so that it outlives this bridge and the interrupt that ends it: agents share it.
            self._service = subprocess.Popen(
                [sys.executable, "-m", "server", "serve"],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        elif self._service.poll() is not None:
            self._service = None
            raise SetupError("Precedent could not start; `precedent serve` in a terminal says why.")

    def _credential(self) -> dict[str, str]:
        """Who holds the secret may say for whom it speaks: the principal of these settings."""
        settings = with_secrets(self._settings)
        if settings.agent_memory_secret is None:
            return {}
        caller = {
            "name": settings.principal,
            "kind": settings.kind,
            "role": settings.role,
            "namespace": settings.namespace,
        }
        return {
            "Authorization": f"Bearer {settings.agent_memory_secret.get_secret_value()}",
            CALLER_HEADER: json.dumps(caller),
        }
