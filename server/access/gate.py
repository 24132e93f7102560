"""The door of the HTTP service: which hosts and origins may be named, who is calling, how often.

Source: design.md section 6; decisions.md "Permission Denied"; docs/threat-model.md.
"""

import re
from collections.abc import Callable

from mcp.server.transport_security import TransportSecurityMiddleware, TransportSecuritySettings
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from server.access.bearer import Bearer, Verifier
from server.access.rate import RateLimit
from server.access.requests import PRINCIPAL
from server.access.roles import ENDPOINTS
from server.access.tokens import Tokens
from server.errors import ForeignHost, ForeignOrigin, PrecedentError, Unauthenticated
from server.principals import Principal, Role
from server.settings import Settings

_OPEN = frozenset(what.partition(" ")[2] for what, role in ENDPOINTS.items() if role is None)
_OPEN_BELOW = ("/static-offline-docs/", "/docs/")
"""The docs page's own script and style."""
_MCP = "/mcp"
_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
_METHODS = ("GET", "POST", "DELETE")
_HEADERS = ("authorization", "content-type", "mcp-protocol-version", "mcp-session-id", "last-event-id")
_TOLD = ("x-request-id", "retry-after", "mcp-session-id")
_FOREIGN_HOST = 421

Told = Callable[[PrecedentError], Response]
"""Tells an error over HTTP."""


def caller_of(scope: Scope) -> Principal:
    """Returns the principal that the gate let in."""
    principal: Principal = scope[PRINCIPAL]
    return principal


class Gate:
    """ASGI middleware that refuses foreign hosts (421) and origins (403), unknown (401) and hasty callers (429).

    Over MCP the executor counts instead, so that an agent reads an error of the tool's own form.
    """

    def __init__(self, app: ASGIApp, *, settings: Settings, tokens: Tokens, rate: RateLimit, told: Told) -> None:
        self._settings = settings
        self._tokens = tokens
        self._rate = rate
        self._told = told
        self._bearer = Bearer(Verifier(tokens, settings.agent_memory_secret, settings.namespace))
        self._app = app
        # A browser asks first (OPTIONS) and sends no credential then: that is answered before one is looked for.
        self._admitted: ASGIApp = self._admit
        if settings.allowed_origins:
            self._admitted = CORSMiddleware(
                self._admit,
                allow_origin_regex="|".join(_pattern(origin) for origin in settings.allowed_origins),
                allow_methods=_METHODS,
                allow_headers=_HEADERS,
                expose_headers=_TOLD,
            )
        names = [*_LOOPBACK, *([] if settings.loopback else [settings.host])]
        self._hosts = TransportSecurityMiddleware(
            TransportSecuritySettings(
                allowed_hosts=[*names, *(f"{name}:*" for name in names), *settings.allowed_hosts],
                allowed_origins=[
                    *(f"http://{name}{port}" for name in names for port in ("", ":*")),
                    *settings.allowed_origins,
                ],
            )
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] == "websocket":  # no route takes one
            await send({"type": "websocket.close", "code": 1008})
            return
        # Its answers are plain text; what they say is told in the form of all errors.
        refused = await self._hosts.validate_request(Request(scope))
        await (self._told(_foreign(refused)) if refused else self._admitted)(scope, receive, send)

    async def _admit(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            path = scope["path"]
            if path in _OPEN or path.startswith(_OPEN_BELOW):
                # Whatever credential comes along; and nobody's asking keeps others from hearing that all is well.
                scope[PRINCIPAL] = Principal("anyone", "human", Role.VIEWER, self._settings.namespace)
            else:
                scope[PRINCIPAL] = principal = await self._identify(Request(scope))
                if not path.startswith(_MCP):
                    await self._rate.require(principal)
        except PrecedentError as error:
            await self._told(error)(scope, receive, send)
            return
        await self._app(scope, receive, send)

    async def _identify(self, request: Request) -> Principal:
        principal = await self._bearer.principal(request) or await self._anonymous(request.scope["path"])
        return principal if self._settings.agent_memory_secret else principal.without_secret()

    async def _anonymous(self, path: str) -> Principal:
        settings = self._settings
        if not settings.loopback or await self._tokens.exist():
            raise Unauthenticated(
                "A bearer token is needed: `Authorization: Bearer …`; `precedent token create --name NAME` makes one."
            )
        # memory-core-rest.md knows no authentication on localhost; over MCP whoever comes is an agent.
        if path.startswith(_MCP):
            return Principal(settings.principal, "agent", Role.AGENT, settings.namespace)
        return Principal("local", "human", Role.ADMIN, settings.namespace)


def _foreign(refused: Response) -> PrecedentError:
    if refused.status_code == _FOREIGN_HOST:
        return ForeignHost(
            "The header Host names a host that this service is not; PRECEDENT_ALLOWED_HOSTS allows more names."
        )
    return ForeignOrigin("Pages of this origin may not ask; PRECEDENT_ALLOWED_ORIGINS allows those that may.")


def _pattern(origin: str) -> str:
    """A regular expression for an allowed origin; `:*` at its end stands for any port."""
    name = origin.removesuffix(":*")
    return re.escape(name) + (r"(:\d+)?" if name != origin else "")
