"""Limits of request bodies: their size, checked before and while they are read, and their pauses.

Imports are streamed and have a limit of their own.

Source: SVC-57.
"""

from collections.abc import Mapping
from http import HTTPStatus

import anyio
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from server.rest.errors import HTTP_CODES, answer

_SILENCE = 30.0
"""Seconds without a byte of an incomplete body; meanwhile it occupies a connection, and an import also a file."""


class BodyLimit:
    """ASGI middleware: answers 413 to a body that is too large and 408 to one that stops arriving.

    `most` is in bytes; `others` has the limits of paths with a certain beginning.
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
            # The rest of the body is not read, so the connection cannot be used again.
            response = answer(status, status.phrase, _describe_limit(limit), code, {"Connection": "close"})
            await response(scope, receive, send)
            return
        read, complete = 0, False

        async def receive_counted() -> Message:
            nonlocal read, complete
            try:
                # After the complete body, the next message is the end of the connection: no limit.
                with anyio.fail_after(None if complete else _SILENCE):
                    message = await receive()
            except TimeoutError as error:
                raise HTTPException(HTTPStatus.REQUEST_TIMEOUT, headers={"Connection": "close"}) from error
            read, complete = read + len(message.get("body", b"")), not message.get("more_body", False)
            if read > limit:
                raise HTTPException(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, _describe_limit(limit))
            return message

        await self._app(scope, receive_counted, send)


def _describe_limit(limit: int) -> str:
    return f"The body is larger than this path accepts: at most {limit:,} bytes."
