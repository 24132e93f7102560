"""MCP over stdio: a bridge to the service, which it starts when none runs.

The bridge answers `initialize` and the lists of tools and resources itself, without delay. A call waits until the
service answers and reports progress meanwhile. stdout contains only the protocol.

Source: SVC-32, SVC-33.
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

from server.access import roles
from server.access.bearer import CALLER_HEADER
from server.core.errors import OutcomeUnknown, PrecedentError, SetupError, Unavailable
from server.core.principals import Principal, Role
from server.core.settings import Settings
from server.graph.idempotency import KEY
from server.interface.resources import AnyResource
from server.local.connection import add_secrets, find_service, local_paths
from server.local.owner import find_owner
from server.mcp.answers import contents, failure
from server.mcp.server import Context, build_server
from server.mcp.toolsets import published, published_resources

T = TypeVar("T")
_log = structlog.get_logger(__name__)
_ERA = "2026-07-28"
"""The version of MCP without sessions: its clients need no handshake."""
_START_SECONDS = 600.0
_LOOK_SECONDS = 0.25


class Bridge:
    """Forwards calls and reads to the service of these settings, on behalf of their principal."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._tools = {tool.name: tool for tool in published(settings)}
        self._starting = anyio.Lock()
        self._service: subprocess.Popen[bytes] | None = None
        self._ready = False
        self._url = settings.service_url

    async def serve(self) -> None:
        """Serve MCP on stdin and stdout until stdin ends."""
        server = build_server(
            self._tools.values(),
            self._call,
            may_call=lambda name, _context: self._caller().has_role(roles.get_tool_role(name)),
            output_schemas=self._settings.output_schemas,
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
            return await self._forward(
                name,
                lambda client: client.call_tool(name, arguments),
                context,
                repeatable=tool is not None and (tool.read_only or KEY in arguments),
            )
        except PrecedentError as error:
            return failure(tool.envelope(error, name) if tool else {"error": error.message})

    async def _read(self, resource: AnyResource, uri: str, context: Context) -> ReadResourceResult:
        try:
            return await self._forward(resource.uri, lambda client: client.read_resource(uri), context, repeatable=True)
        except PrecedentError as error:
            return contents(uri, resource.envelope(error, uri), limit=self._settings.answer_limit)

    async def _forward(
        self, name: str, ask: Callable[[Client], Awaitable[T]], context: Context, *, repeatable: bool
    ) -> T:
        """Forward a request to the service; repeat a repeatable one once when the service is lost meanwhile."""
        for again in (True, False):
            await self._until_ready(context)
            # One client per call, because a refused connection ends its client. There is no handshake, and `_http`
            # keeps the connections.
            transport = streamable_http_client(f"{self._url}/mcp", http_client=self._http)
            try:
                async with Client(transport, mode=_ERA) as client:
                    return await ask(client)
            except (httpx2.HTTPError, MCPError, OSError, ExceptionGroup) as error:
                self._ready = False
                _log.warning("service_lost", tool=name, error=type(error).__name__)
                if not (again and repeatable):
                    raise OutcomeUnknown(
                        "The connection to the service was lost during the call; it is not known whether it was "
                        "carried out. Before you repeat a write, check whether it was stored, or send it with an "
                        "idempotency key."
                    ) from error
        raise AssertionError("unreachable")

    async def _until_ready(self, context: Context) -> None:
        """Wait until the service answers; start it when none runs."""
        if self._ready:
            return
        async with self._starting:
            waited = 0.0
            while not await self._healthy():
                if waited >= _START_SECONDS:
                    raise Unavailable("Precedent did not start within 10 minutes; `precedent status` shows its state.")
                self._ensure_running()
                if waited % 1 == 0:
                    await context.session.report_progress(waited, None, "Precedent is starting.")
                await anyio.sleep(_LOOK_SECONDS)
                waited += _LOOK_SECONDS
            self._http.headers.update(self._credential())
            self._ready = True

    def _find_url(self) -> str | None:
        """Return the address of the service of this home, or of the one that the settings name; None for neither.

        Without a service on this home, another one is meant only where the settings have what it takes: on the ports
        of this home there may be the service of another one, which would refuse the secret of this one.
        """
        if (running := find_service(self._settings)) is not None:
            return running.service_url
        is_elsewhere = not self._settings.local or self._settings.agent_memory_secret is not None
        return self._settings.service_url if is_elsewhere else None

    async def _healthy(self) -> bool:
        if (url := self._find_url()) is None:
            return False
        self._url = url
        try:
            answer = await self._http.get(f"{url}/healthcheck")
        except httpx2.HTTPError:
            return False
        return answer.status_code == httpx2.codes.OK

    def _ensure_running(self) -> None:
        """Start the service unless it runs; raise `SetupError` when the one that was started has ended."""
        if find_owner(local_paths(self._settings).home) is not None:
            return
        if self._service is None:
            # In a session of its own: several agents share the service, so it outlives this bridge and its interrupt.
            self._service = subprocess.Popen(
                [sys.executable, "-m", "cli", "serve"],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        elif self._service.poll() is not None:
            self._service = None
            raise SetupError("Precedent could not start; run `precedent serve` in a terminal to see why.")

    def _caller(self) -> Principal:
        """Return the principal of this bridge; without a secret it is a viewer."""
        settings = add_secrets(self._settings)
        caller = Principal(settings.principal, settings.kind, Role.parse(settings.role), settings.namespace)
        # The local profile creates its secret at its first start.
        return caller if settings.local or settings.agent_memory_secret else caller.without_secret()

    def _credential(self) -> dict[str, str]:
        """Return the headers with the secret and the principal of these settings."""
        settings = add_secrets(self._settings)
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
