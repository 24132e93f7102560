"""Decisions at other times, why and impact: over MCP, over REST and on the command line."""

from datetime import UTC, datetime, timedelta
from typing import Any

import httpx2
import pytest
from mcp import Client

from server.access.bearer import CALLER_HEADER
from server.app import App
from server.core.fields import encode_json
from tests.interaction.conftest import SECRET, Connect
from tests.interaction.tools import ask, refused

pytestmark = pytest.mark.anyio
_WHY = "Because it is what we measured in spring."


@pytest.fixture
async def then(client: Client) -> str:
    """A time at which Redis stored the carts; the graph stores them now."""
    old = await ask(client, "record_decision", title="Carts live in Redis", target="cart cache", rationale=_WHY)
    at = datetime.now(UTC).isoformat()
    await ask(
        client,
        "supersede_decision",
        title="Carts live in the graph",
        target="cart cache",
        rationale=_WHY,
        old_decision_ids=[old["decision_id"]],
    )
    return at


@pytest.mark.proves("DEC-77", "DEC-82", "HIS-1", "HIS-4", "HIS-6")
async def test_an_agent_asks_what_held_and_why(client: Client, then: str) -> None:
    found = await ask(client, "search_decisions", query="where do carts live?", as_of=then)
    assert [(hit["title"], hit["status"]) for hit in found["results"]] == [("Carts live in Redis", "active")]
    assert "effective_at" not in found["results"][0]
    [read] = (await ask(client, "get_decisions", targets=["cart cache"], as_of=then))["decisions"]
    assert read["title"] == "Carts live in Redis"
    listed = await ask(client, "list_decisions", as_of=then)
    assert [each["title"] for each in listed["decisions"]] == ["Carts live in Redis"]
    explained = await ask(client, "why", of="cart cache")
    assert [each["title"] for each in explained["in_force"]] == ["Carts live in the graph"]
    assert [each["title"] for each in explained["earlier"]] == ["Carts live in Redis"]
    assert [each["title"] for each in (await ask(client, "why", of="cart cache", as_of=then))["in_force"]] == [
        "Carts live in Redis"
    ]
    affected = await ask(client, "impact", of="Cart Cache")
    assert [(each["name"], each["relation"]) for each in affected["affected"]] == [("Carts live in the graph", "ABOUT")]
    assert (await refused(client, "list_decisions", known_at=then))["code"] == "INVALID_ARGUMENT"
    ends = (datetime.now(UTC) + timedelta(days=1)).isoformat()
    timed = await ask(client, "record_decision", title="t", target="freeze", rationale=_WHY, valid_until=ends)
    assert " until " in timed["message"]


@pytest.mark.proves("HIS-10", "DEC-54")
async def test_nothing_of_another_namespace_is_explained(client: Client, then: str, connect: Connect) -> None:
    async with connect(elsewhere="-other") as other:
        for tool in ("why", "impact"):
            assert (await refused(other, tool, of="cart cache"))["code"] == "NOT_FOUND"


@pytest.mark.proves("DEC-86", "HIS-10")
async def test_a_script_asks_the_same(client: Client, then: str, app: App, namespace: str) -> None:
    caller = {"name": "script", "kind": "agent", "role": "viewer", "namespace": namespace}
    headers = {"Authorization": f"Bearer {SECRET}", CALLER_HEADER: encode_json(caller)}
    transport = httpx2.ASGITransport(app=app.http)
    async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1", headers=headers) as http:

        async def get(path: str, **asked: Any) -> dict[str, Any]:
            answer = await http.get(path, params=asked)
            assert answer.status_code == httpx2.codes.OK, answer.text
            return dict(answer.json())

        [old] = (await get("/decisions", as_of=then))["decisions"]
        assert old["title"] == "Carts live in Redis"
        assert (await get(f"/decisions/{old['id']}", as_of=then))["status"] == "active"
        assert (await get(f"/decisions/{old['id']}"))["status"] == "superseded"
        asked = {"query": "where do carts live?", "as_of": then}
        [hit] = (await http.post("/decisions/query", json=asked)).json()["results"]
        assert hit["id"] == old["id"]
        assert await get("/why", of="cart cache") == await ask(client, "why", of="cart cache")
        assert await get("/impact", of="cart cache") == await ask(client, "impact", of="cart cache")
        assert (await http.get("/why", params={"of": "nothing"})).status_code == httpx2.codes.NOT_FOUND
