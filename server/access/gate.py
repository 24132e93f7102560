"""The gate of the HTTP service: it checks host, origin, credential and rate of every request (docs/threat-model.md).

Source: SVC-20, SVC-28.
"""

import re
from collections.abc import Callable

from mcp.server.transport_security import TransportSecurityMiddleware, TransportSecuritySettings
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from server.access.bearer import Bearer, Verifier
from server.access.capacity import Capacity, RequestTurn
from server.access.rate import RateLimit
from server.access.requests import PRINCIPAL, TURN
from server.access.roles import ENDPOINTS
from server.access.tokens import Tokens
from server.core.errors import ForeignHost, ForeignOrigin, PrecedentError, Unauthenticated
from server.core.principals import Principal, Role
from server.core.settings import Settings

_PUBLIC = frozenset(endpoint.partition(" ")[2] for endpoint, role in ENDPOINTS.items() if role is None)
_PUBLIC_BELOW = ("/static-offline-docs/", "/docs/")
"""The script and style of the API page."""
_MCP = "/mcp"
_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
_METHODS = ("GET", "POST", "PATCH", "DELETE")
_HEADERS = (
    "authorization",
    "content-type",
    "idempotency-key",
    "mcp-protocol-version",
    "mcp-session-id",
    "last-event-id",
)
_EXPOSED_HEADERS = ("x-request-id", "retry-after", "mcp-session-id", "idempotent-replayed")
_FOREIGN_HOST = 421

ToResponse = Callable[[PrecedentError], Response]
"""Returns the HTTP response for an error."""


def caller_of(scope: Scope) -> Principal:
    """Return the principal that the gate has identified."""
    principal: Principal = scope[PRINCIPAL]
    return principal


class Gate:
    """ASGI middleware that refuses unknown hosts (421), origins (403), callers (401) and too many requests (429).

    Over MCP the executor limits the rate instead, so that an agent gets the error in the tool's own form.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        settings: Settings,
        tokens: Tokens,
        rate: RateLimit,
        capacity: Capacity,
        to_response: ToResponse,
    ) -> None:
        self._settings = settings
        self._tokens = tokens
        self._rate = rate
        self._capacity = capacity
        self._to_response = to_response
        self._bearer = Bearer(Verifier(tokens, settings.agent_memory_secret, settings.namespace))
        self._app = app
        # A browser first sends OPTIONS without a credential: that is answered before the credential is checked.
        self._with_cors: ASGIApp = self._admit
        if settings.allowed_origins:
            self._with_cors = CORSMiddleware(
                self._admit,
                allow_origin_regex="|".join(_origin_pattern(origin) for origin in settings.allowed_origins),
                allow_methods=_METHODS,
                allow_headers=_HEADERS,
                expose_headers=_EXPOSED_HEADERS,
            )
        self._loopback = settings.loopback
        names = [*_LOOPBACK, *([] if self._loopback else [settings.host])]
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
        # RFC 9110, 5.5: white space around a header's value is not part of it. Some HTTP parsers leave it in place, and
        # MCP compares the values of Mcp-Method, Mcp-Name and others with the body.
        scope["headers"] = [(name, value.strip(b" \t")) for name, value in scope["headers"]]
        if scope["type"] == "websocket":  # no route uses WebSocket
            await send({"type": "websocket.close", "code": 1008})
            return
        # Its responses are plain text; ours have the form of all errors.
        refused = await self._hosts.validate_request(Request(scope))
        await (self._to_response(_to_error(refused)) if refused else self._with_cors)(scope, receive, send)

    async def _admit(self, scope: Scope, receive: Receive, send: Send) -> None:
        turn = None
        try:
            path = scope["path"]
            if path in _PUBLIC or path.startswith(_PUBLIC_BELOW):
                # Any credential is accepted here, and these requests do not count for the rate limit.
                scope[PRINCIPAL] = Principal("anyone", "human", Role.VIEWER, self._settings.namespace)
            else:
                scope[PRINCIPAL] = principal = await self._identify(Request(scope))
                if not path.startswith(_MCP):
                    await self._rate.require(principal)
                    turn = scope[TURN] = self._capacity.create_turn()
        except PrecedentError as error:
            await self._to_response(error)(scope, receive, send)
            return
        if turn is None:
            await self._app(scope, receive, send)
            return
        try:
            await self._app(scope, receive, _end_before_answer(turn, send))
        finally:
            turn.end()

    async def _identify(self, request: Request) -> Principal:
        principal = await self._bearer.principal(request) or await self._anonymous(request.scope["path"])
        return principal if self._settings.agent_memory_secret else principal.without_secret()

    async def _anonymous(self, path: str) -> Principal:
        settings = self._settings
        if not self._loopback or await self._tokens.any_exist():
            raise Unauthenticated(
                "A bearer token is required: `Authorization: Bearer …`; create one with `precedent token create`."
            )
        # On loopback without tokens, REST has no authentication, and every MCP client is an agent.
        if path.startswith(_MCP):
            return Principal(settings.principal, "agent", Role.AGENT, settings.namespace)
        return Principal("local", "human", Role.ADMIN, settings.namespace)


def _end_before_answer(turn: RequestTurn, send: Send) -> Send:
    """Return a `send` that ends the turn of a request when its answer begins: a slow reader keeps nobody waiting.

    The turn begins when the request has arrived completely (`server/rest/access.py`): nor does a slow sender.
    """

    async def send_after_end(message: Message) -> None:
        turn.end()
        await send(message)

    return send_after_end


def _to_error(refused: Response) -> PrecedentError:
    if refused.status_code == _FOREIGN_HOST:
        return ForeignHost("The header Host names an unknown host; add it to PRECEDENT_ALLOWED_HOSTS to allow it.")
    return ForeignOrigin("Web pages of this origin are not allowed; add it to PRECEDENT_ALLOWED_ORIGINS to allow it.")


def _origin_pattern(origin: str) -> str:
    """Return a regular expression for an allowed origin; `:*` at its end stands for any port."""
    name = origin.removesuffix(":*")
    return re.escape(name) + (r"(:\d+)?" if name != origin else "")
