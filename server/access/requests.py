"""The id, the log line and the metrics of every HTTP request: caller, route, time and status.

Bodies, query strings and secrets are never logged; of the address, only the route's template is.

Source: SVC-74.
"""

import time
from http import HTTPMethod
from secrets import token_hex

import structlog
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from server.observability.metrics import Metrics

PRINCIPAL = "precedent.principal"
TURN = "precedent.turn"
"""The turn of a request among those that the process carries out at once; a few routes need none."""
_REQUEST = "precedent.request"
_QUIET = frozenset({"/mcp", "/healthcheck", "/metrics"})
"""Logged at level debug: the executor logs each call and read, and monitoring asks the others often."""
_METHODS = frozenset(HTTPMethod)
_FAILED = 500
_log = structlog.get_logger(__name__)


def request_of(scope: Scope) -> str:
    """Return the id of a request; its answer has it as `X-Request-Id`."""
    request: str = scope.get(_REQUEST) or token_hex(8)
    return request


def route_of(scope: Scope) -> str:
    """Return the route of a request, such as `GET /memories`; without a route, only the method.

    An unknown method is `OTHER`, so that callers cannot add metrics without bound.
    """
    method = scope["method"] if scope["method"] in _METHODS else "OTHER"
    path = getattr(scope.get("route"), "path", None) or (scope["path"] if scope["path"] in _QUIET else "")
    return f"{method} {path}".rstrip()


class RequestLog:
    """The outermost ASGI middleware: gives each request an id, then logs and measures it."""

    def __init__(self, app: ASGIApp, *, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = scope[_REQUEST] = token_hex(8)
        started, status = time.perf_counter(), _FAILED
        self._metrics.request_started()

        async def send_with_id(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = int(message["status"])
                MutableHeaders(scope=message)["X-Request-Id"] = request
            await send(message)

        try:
            await self._app(scope, receive, send_with_id)
        finally:
            seconds, route = time.perf_counter() - started, route_of(scope)
            self._metrics.request_answered(route, status, seconds)
            log = _log.debug if scope["path"] in _QUIET and status < _FAILED else _log.info
            caller = scope.get(PRINCIPAL)
            log(
                "request",
                request=request,
                caller=caller.name if caller else None,
                namespace=caller.namespace if caller else None,
                route=route,
                status=status,
                ms=round(seconds * 1000, 1),
            )
