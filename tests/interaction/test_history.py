"""The past as agents, scripts and people ask about it: over MCP, over HTTP and on the command line."""

import json
from typing import Any

import httpx2
import pytest
from mcp import Client

from server.access.bearer import CALLER_HEADER
from server.app import App
from tests.interaction.conftest import SECRET
from tests.interaction.tools import ask, pages, refused

pytestmark = pytest.mark.anyio
_WHY = "Because it is the only one that holds relations natively."


async def _work(client: Client) -> None:
    await ask(client, "record_decision", title="Use Neo4j", target="database", rationale=_WHY, about=["Shop"])
    await ask(client, "graph_add_edge", source_name="Shop", relation="USES", target_name="Neo4j")
    agent = {"agent_id": "coder"}
    message = {"sender": "user", "message_content": "Where were we?", "conversation_id": "talk"}
    for tool, arguments in (
        ("store_context", {"context_type": "task", "context_data": {"step": 3}}),
        ("store_conversation_message", message),
    ):
        assert not (await client.call_tool(tool, {**agent, **arguments})).is_error


@pytest.mark.proves("HIS-11", "HIS-12", "HIS-14")
async def test_an_agent_sees_what_was_changed(client: Client) -> None:
    await _work(client)
    answer = await ask(client, "changes", since="today")
    assert [each["operation"] for each in answer["changes"]] == [
        "store_conversation_message",
        "store_context",
        "graph_add_edge",
        "record_decision",
    ]
    assert {each["by"] for each in answer["changes"]} == {"tester"}
    kinds = [{record["kind"] for record in each["records"]} for each in answer["changes"]]
    assert kinds == [{"message"}, {"context"}, {"entity"}, {"decision"}]
    seen = [each["id"] for page in await pages(client, "changes", "changes", limit=3) for each in page["changes"]]
    assert seen == [each["id"] for each in answer["changes"]]
    assert len((await ask(client, "changes", about="Shop"))["changes"]) == 2
    error = await refused(client, "changes", since="soon")
    assert (error["code"], "yesterday" in error["details"]) == ("INVALID_ARGUMENT", True)


@pytest.mark.proves("HIS-16", "ENT-66", "ENT-67", "MEM-68")
async def test_an_agent_resumes_and_looks_back(client: Client) -> None:
    await _work(client)
    found = await ask(client, "resume", agent_id="coder")
    assert [each["data"] for each in found["contexts"]] == ['{"step":3}']
    assert [each["text"] for each in found["messages"]] == ["Where were we?"]
    assert [each["title"] for each in found["decisions"]] == ["Use Neo4j"]
    assert (await ask(client, "resume", session_id="talk"))["agent_id"] == "coder"
    then = "2020-01-01"
    for tool, arguments in (
        ("graph_query_neighbors", {"node_name": "Shop"}),
        ("graph_find_path", {"start_node": "Shop", "end_node": "Neo4j"}),
    ):
        assert (await refused(client, tool, **arguments, as_of=then))["code"] == "NOT_FOUND"
        assert await ask(client, tool, **arguments, as_of="2999-01-01") == await ask(client, tool, **arguments)
    await ask(client, "save_memory", text="The shop has a parrot.")
    assert (await ask(client, "search", query="parrot", as_of=then))["items"] == []
    assert len((await ask(client, "search", query="parrot", as_of="2999-01-01"))["items"]) == 1


@pytest.mark.proves("HIS-19")
async def test_a_script_asks_the_same_over_http(client: Client, app: App, namespace: str, era: str) -> None:
    if era == "legacy":
        return
    await _work(client)
    caller = {"name": "grace", "namespace": namespace, "kind": "human", "role": "viewer"}
    headers = {"Authorization": f"Bearer {SECRET}", CALLER_HEADER: json.dumps(caller)}
    transport = httpx2.ASGITransport(app=app.http)
    async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1", headers=headers) as http:

        async def get(path: str, **asked: str) -> Any:
            return (await http.get(path, params=asked)).json()

        assert await get("/changes", since="7d") == await ask(client, "changes", since="7d")
        assert (await get("/changes", since="soon"))["code"] == "INVALID_ARGUMENT"
        assert (await get("/changes", about="Nothing"))["code"] == "NOT_FOUND"
        assert await get("/resume", agent_id="coder") == await ask(client, "resume", agent_id="coder")
        shop = {"node_name": "Shop"}
        assert (await get("/graph/neighbors", **shop, as_of="2020-01-01"))["code"] == "NOT_FOUND"
        assert (await get("/graph/neighbors", **shop, as_of="2999-01-01"))["total_rows"] == 2
        path = await get("/graph/paths", start_node="Shop", end_node="Neo4j", as_of="2999-01-01")
        assert path["path_length"] == 1
        found = await http.post("/entries/query", json={"query": "parrot", "as_of": "2020-01-01"})
        assert found.json()["items"] == []
