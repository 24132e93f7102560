"""What is told of every request, also of those that nobody let in."""

import httpx2
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from server.access.requests import RequestLog
from server.observability.metrics import Metrics

pytestmark = pytest.mark.anyio


async def _answer(_request: Request) -> Response:
    return PlainTextResponse("here")


@pytest.mark.proves("SVC-75")
async def test_methods_that_http_does_not_have_are_counted_as_one() -> None:
    metrics = Metrics()
    app = RequestLog(Starlette(routes=[Route("/here", _answer)]), metrics=metrics)
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app), base_url="http://127.0.0.1") as client:
        for number in range(20):
            assert (await client.request(f"X-{number}", "/here")).status_code == 405
            assert (await client.request(f"X-{number}", "/metrics")).status_code == 404
        assert (await client.get("/nowhere")).status_code == 404
    counted = {
        tuple(sample.labels.values()): sample.value
        for family in metrics.registry.collect()
        for sample in family.samples
        if sample.name == "precedent_requests_total"
    }
    assert counted == {("OTHER /here", "405"): 20, ("OTHER /metrics", "404"): 20, ("GET", "404"): 1}
