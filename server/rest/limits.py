"""How large a body may be, and how slow: refused by its announced length before any of it is read, or while it is.

Source: open-questions.md "memory-core-rest.md", Cross-cutting ("Body limit 1 MB"); imports stream, and have their own.
"""

from collections.abc import Mapping
from http import HTTPStatus

import anyio
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from server.rest.errors import HTTP_CODES, answer

_SILENCE = 30.0
"""Seconds without a byte of a body that is not whole: who waits longer holds a connection, and of an import a file."""


class BodyLimit:
    """ASGI middleware: 413 for a body larger than `most` bytes, or than what `others` say for a path's beginning.

    408 for one that stops coming.
    """

    def __init__(self, app: ASGIApp, *, most: int, others: Mapping[str, int]) -> None:
        self._app = app
        self._most = most
        self._others = others

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        limit = next((most for path, most in self._others.items() if scope["path"].startswith(path)), self._most)
        announced = Headers(scope=scope).get("content-length", "0")
        if not announced.isdecimal() or int(announced) > limit:
            status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
            code, _ = HTTP_CODES[status]
            # The rest of the body is not read: the connection cannot be used again.
            response = answer(status, status.phrase, _told(limit), code, {"Connection": "close"})
            await response(scope, receive, send)
            return
        read, whole = 0, False

        async def counted() -> Message:
            nonlocal read, whole
            try:
                # Afterwards, what is waited for is that the client goes away.
                with anyio.fail_after(None if whole else _SILENCE):
                    message = await receive()
            except TimeoutError as error:
                raise HTTPException(HTTPStatus.REQUEST_TIMEOUT, headers={"Connection": "close"}) from error
            read, whole = read + len(message.get("body", b"")), not message.get("more_body", False)
            if read > limit:
                raise HTTPException(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, _told(limit))
            return message

        await self._app(scope, counted, send)


def _told(limit: int) -> str:
    return f"The body is larger than this path takes: at most {limit:,} bytes."
