"""Bodies are bounded, in bytes and in time."""

import anyio
import pytest
from fastapi import FastAPI, Request
from starlette.types import Message

from server.rest import errors, limits
from server.rest.limits import BodyLimit

pytestmark = pytest.mark.anyio


@pytest.mark.proves("SVC-57")
async def test_a_body_that_stops_arriving_is_a_request_timeout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "_SILENCE", 0.05)
    app = FastAPI()
    errors.install(app)

    @app.post("/read")
    async def read(request: Request) -> int:
        return len(await request.body())

    bounded = BodyLimit(app, most=100, others={})
    coming: list[Message] = [{"type": "http.request", "body": b"half", "more_body": True}]
    answered: list[Message] = []

    async def receive() -> Message:
        if not coming:
            await anyio.sleep_forever()
        return coming.pop()

    async def send(message: Message) -> None:
        answered.append(message)

    scope = {"type": "http", "method": "POST", "path": "/read", "headers": [], "query_string": b"", "root_path": ""}
    with anyio.fail_after(30):
        await bounded(scope, receive, send)
    assert answered[0]["status"] == 408
    assert b"REQUEST_TIMEOUT" in answered[1]["body"]
