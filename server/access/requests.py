"""Every request has an id, a line in the log and a place in the metrics: who asked what, how long it took, the status.

Source: issue 6, "Access". Never a body, a query or a secret: of the address only the route's own template is told.
"""

import time
from http import HTTPMethod
from secrets import token_hex

import structlog
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from server.metrics import Metrics

PRINCIPAL = "precedent.principal"
_REQUEST = "precedent.request"
_QUIET = frozenset({"/mcp", "/healthcheck", "/metrics"})
"""The executor tells of each call and read; the others are asked by machines, every few seconds."""
_METHODS = frozenset(HTTPMethod)
_FAILED = 500
_log = structlog.get_logger(__name__)


def request_of(scope: Scope) -> str:
    """Returns the id of a request, which its answer carries as `X-Request-Id`."""
    request: str = scope.get(_REQUEST) or token_hex(8)
    return request


def route_of(scope: Scope) -> str:
    """Returns what a request asks, as `GET /memories`; of what no route takes, the method alone.

    A method that HTTP does not have is `OTHER`: any word may be sent as one, and each route is counted by itself.
    """
    method = scope["method"] if scope["method"] in _METHODS else "OTHER"
    path = getattr(scope.get("route"), "path", None) or (scope["path"] if scope["path"] in _QUIET else "")
    return f"{method} {path}".rstrip()


class RequestLog:
    """ASGI middleware, the outermost one: gives each request an id, then logs and measures it."""

    def __init__(self, app: ASGIApp, *, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = scope[_REQUEST] = token_hex(8)
        started, status = time.perf_counter(), _FAILED

        async def marked(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = int(message["status"])
                MutableHeaders(scope=message)["X-Request-Id"] = request
            await send(message)

        try:
            await self._app(scope, receive, marked)
        finally:
            seconds, route = time.perf_counter() - started, route_of(scope)
            self._metrics.request_answered(route, status, seconds)
            tell = _log.debug if scope["path"] in _QUIET and status < _FAILED else _log.info
            caller = scope.get(PRINCIPAL)
            tell(
                "request",
                request=request,
                caller=caller.name if caller else None,
                namespace=caller.namespace if caller else None,
                route=route,
                status=status,
                ms=round(seconds * 1000, 1),
            )
