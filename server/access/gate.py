"""The door of the HTTP service: which hosts may be named, and who is calling.

Source: design.md section 6; decisions.md "Permission Denied".
"""

import json
from dataclasses import replace

from mcp.server.transport_security import TransportSecurityMiddleware, TransportSecuritySettings
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from server.access.tokens import Tokens, same
from server.errors import PrecedentError, Unauthenticated
from server.principals import Principal, Role
from server.settings import Settings

CALLER_HEADER = "precedent-caller"
"""Names the caller for whom the holder of AGENT_MEMORY_SECRET speaks: JSON with name, kind, role, namespace."""

_KEY = "precedent.principal"
_OPEN = frozenset({"/healthcheck"})
_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


def caller_of(scope: Scope) -> Principal:
    """Returns the principal that the gate let in."""
    principal: Principal = scope[_KEY]
    return principal


class Gate:
    """ASGI middleware that refuses foreign hosts and origins (421, 403) and unknown callers (401)."""

    def __init__(self, app: ASGIApp, *, settings: Settings, tokens: Tokens) -> None:
        self._app = app
        self._settings = settings
        self._tokens = tokens
        names = [*_LOOPBACK, *([] if settings.loopback else [settings.host])]
        self._hosts = TransportSecurityMiddleware(
            TransportSecuritySettings(
                allowed_hosts=[*names, *(f"{name}:*" for name in names), *settings.allowed_hosts],
                allowed_origins=[*(f"http://{name}:*" for name in names), *settings.allowed_origins],
            )
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        refused = await self._hosts.validate_request(Request(scope))
        if refused is not None:
            await refused(scope, receive, send)
            return
        try:
            scope[_KEY] = await self._identify(Headers(scope=scope), scope["path"])
        except PrecedentError as error:
            answer = {"error": type(error).__name__, "message": error.message, "code": error.code}
            unknown = isinstance(error, Unauthenticated)
            response = JSONResponse(
                answer,
                status_code=401 if unknown else 503,
                headers={"WWW-Authenticate": "Bearer"} if unknown else {"Retry-After": "3"},
            )
            await response(scope, receive, send)
            return
        await self._app(scope, receive, send)

    async def _identify(self, headers: Headers, path: str) -> Principal:
        principal = await self._from_credential(headers) or await self._anonymous(path)
        return principal if self._settings.agent_memory_secret else principal.without_secret()

    async def _from_credential(self, headers: Headers) -> Principal | None:
        scheme, _, token = headers.get("authorization", "").partition(" ")
        if scheme.lower() != "bearer" or not token:
            return None
        secret = self._settings.agent_memory_secret
        if secret and same(token, secret.get_secret_value()):
            return self._operator(headers.get(CALLER_HEADER))
        principal = await self._tokens.principal(token)
        if principal is None:
            raise Unauthenticated("This token is not known; `precedent token add NAME` makes one.")
        return principal

    def _operator(self, named: str | None) -> Principal:
        operator = Principal("operator", "human", Role.ADMIN, self._settings.namespace)
        if named is None:
            return operator
        try:
            wanted = json.loads(named)
            caller = replace(operator, **{**wanted, "role": Role.named(wanted["role"])})
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise Unauthenticated(f"{CALLER_HEADER} must be JSON with name, kind, role and namespace.") from error
        if caller.kind not in {"human", "agent"}:
            raise Unauthenticated(f"{CALLER_HEADER}: kind is human or agent.")
        return caller

    async def _anonymous(self, path: str) -> Principal:
        settings = self._settings
        if path in _OPEN:
            return Principal("anyone", "human", Role.VIEWER, settings.namespace)
        if not settings.loopback or await self._tokens.exist():
            raise Unauthenticated(
                "A bearer token is needed: `Authorization: Bearer …`; `precedent token add NAME` makes one."
            )
        # memory-core-rest.md knows no authentication on localhost; over MCP whoever comes is an agent.
        if path.startswith("/mcp"):
            return Principal(settings.principal, "agent", Role.AGENT, settings.namespace)
        return Principal("local", "human", Role.ADMIN, settings.namespace)
