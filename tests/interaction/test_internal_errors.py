"""An unexpected failure: callers learn that the service failed and no cause; the log has it. Source: SVC-51."""

import json
from typing import Any

import httpx2
import pytest
import structlog
from mcp import Client

from server.access.bearer import CALLER_HEADER
from server.app import App
from server.graph.graph import Graph
from tests.interaction.conftest import SECRET
from tests.interaction.tools import refused

pytestmark = pytest.mark.anyio
_CANARY = "bolt://10.1.2.3 MATCH (canary)"


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> None:
    """One statement fails in a way that no code expects."""
    run = Graph.run

    async def fail(self: Graph, name: Any, /, **parameters: Any) -> Any:
        if name == "entities/list_entities":
            raise RuntimeError(_CANARY)
        return await run(self, name, **parameters)

    monkeypatch.setattr(Graph, "run", fail)


@pytest.mark.usefixtures("broken")
@pytest.mark.proves("SVC-51")
async def test_a_tool_answers_an_unexpected_failure_without_its_cause(client: Client) -> None:
    with structlog.testing.capture_logs() as lines:
        error = await refused(client, "graph_list_entities")
    assert error["code"] == "INTERNAL_ERROR"
    assert "canary" not in json.dumps(error)
    assert [line["tool"] for line in lines if line["log_level"] == "error"] == ["graph_list_entities"]


@pytest.mark.usefixtures("broken")
@pytest.mark.proves("SVC-51", "SVC-54")
async def test_an_endpoint_answers_an_unexpected_failure_without_its_cause(app: App, namespace: str) -> None:
    caller = {"name": "tester", "kind": "human", "role": "admin", "namespace": namespace}
    headers = {"Authorization": f"Bearer {SECRET}", CALLER_HEADER: json.dumps(caller)}
    transport = httpx2.ASGITransport(app=app.http, raise_app_exceptions=False)
    async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1", headers=headers) as http:
        with structlog.testing.capture_logs() as lines:
            answer = await http.get("/graph/entities")
    assert (answer.status_code, answer.json()["code"]) == (500, "INTERNAL_ERROR")
    assert set(answer.json()) == {"error", "message", "code"}
    assert "canary" not in answer.text
    assert any(line["event"] == "request_failed" for line in lines)
