"""The header `Idempotency-Key`: a request that is repeated with the same key is answered as the first time.

The answer of a repeated request has the header `Idempotent-Replayed: true`. The families declare their routes as
`KeyedRoute`; it leaves alone what only reads.

Source: SVC-79, SVC-80, SVC-81.
"""

import hashlib
import json
from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import Request, Response
from fastapi.responses import JSONResponse
from fastapi.routing import APIRoute
from pydantic import BaseModel, Field

from server.access import roles
from server.access.gate import caller_of
from server.access.requests import route_of
from server.core.errors import InvalidArgument
from server.core.principals import Role
from server.graph.changes import KeyedCall
from server.graph.idempotency import LONGEST_KEY, EarlierCall, IdempotencyKeys, compute_digest, require_key
from server.interface.state import StateKey

HEADER = "Idempotency-Key"
REPLAYED = "Idempotent-Replayed"
KEYS = StateKey[IdempotencyKeys]("idempotency_keys")
_RESUMABLE = frozenset({"POST /sessions/summarize"})
"""Routes whose work is several transactions and repeats without effect."""


class Replay(BaseModel):
    """The answer to a repeated request whose first answer was lost."""

    replayed: bool
    stored: list[dict[str, str]] = Field(description="Label and id of the records that the first request changed.")
    message: str


def accepts_key(route: str) -> bool:
    """Return whether a route, such as `POST /entries`, writes."""
    role = roles.ENDPOINTS.get(route)
    return role is not None and role > Role.VIEWER and not route.startswith("GET ")


class KeyedRoute(APIRoute):
    """A route that carries out a request with an idempotency key once."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return what answers a request."""
        handle = super().get_route_handler()

        async def handle_once(request: Request) -> Response:
            key, route = request.headers.get(HEADER), route_of(request.scope)
            if key is None or not accepts_key(route):
                return await handle(request)
            caller = caller_of(request.scope)
            # As for every request, the role comes first: without it nothing is told of an earlier answer.
            caller.require(roles.ENDPOINTS[route] or Role.VIEWER)
            call = KeyedCall(caller.namespace, caller.name, route, _require_header(key), await _digest(request))
            keys = await KEYS.load(request)
            return await keys.run(
                call,
                lambda: handle(request),
                to_stored=lambda answer: json.dumps([answer.status_code, bytes(answer.body).decode()]),
                replay=_replay,
                resumable=route in _RESUMABLE,
            )

        return handle_once


def _require_header(key: str) -> str:
    """Return a valid key of a header, which is ASCII without spaces: others arrive changed, or not alike everywhere."""
    if not key.isascii() or " " in key:
        raise InvalidArgument(
            f"Invalid request. {HEADER}: must be 1 to {LONGEST_KEY} visible ASCII characters, without spaces."
        )
    return require_key(key)


def _replay(earlier: EarlierCall) -> Response:
    response: Response = JSONResponse(earlier.describe_lost())
    if earlier.answer is not None:
        status, body = json.loads(earlier.answer)
        response = Response(body, status_code=status, media_type="application/json")
    response.headers[REPLAYED] = "true"
    return response


async def _digest(request: Request) -> str:
    """Return the digest of a request: of its path, its query string and its body.

    Of an upload the size counts: it is too large to be read twice, and clients separate its parts at random.
    """
    asked: dict[str, Any] = {"path": request.url.path, "query": request.url.query}
    if request.headers.get("content-type", "").startswith("multipart/"):
        return compute_digest({**asked, "size": request.headers.get("content-length")})
    body = await request.body()
    try:
        # Neither spaces nor the order of fields count.
        asked["body"] = json.loads(body)
    except (ValueError, RecursionError):
        asked["body"] = hashlib.sha256(body).hexdigest()
    return compute_digest(asked)
