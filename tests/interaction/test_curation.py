"""Ordinary mistakes are mended as a new client would: over MCP alone, and at once in every answer."""

import json
from typing import Any

import httpx2
import pytest
from mcp import Client

from server.access.bearer import CALLER_HEADER
from server.app import App
from tests.interaction.conftest import SECRET, Connect
from tests.interaction.tools import ask, refused

pytestmark = pytest.mark.anyio
_WHY = "It is the fastest one that we know."


def _http(app: App, namespace: str) -> httpx2.AsyncClient:
    caller = json.dumps({"name": "grace", "kind": "human", "role": "admin", "namespace": namespace})
    headers = {"Authorization": f"Bearer {SECRET}", CALLER_HEADER: caller}
    return httpx2.AsyncClient(
        transport=httpx2.ASGITransport(app=app.http), base_url="http://127.0.0.1", headers=headers, timeout=60
    )


async def _call(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """The structured answer of a tool of the journal, whose text is prose."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.structured_content
    return dict(result.structured_content or {})


@pytest.mark.proves("CUR-1", "CUR-14", "ENT-69", "ENT-72")
async def test_five_ordinary_mistakes_are_mended(client: Client, connect: Connect) -> None:
    # A relation that is wrong.
    await ask(client, "graph_add_edge", source_name="Shop", relation="USES", target_name="Oracle")
    await ask(client, "retract", ids=["Shop -[USES]-> Oracle"], reason="It never did.")
    assert (await ask(client, "graph_query_neighbors", node_name="Shop"))["neighbors"] == []
    # A typo in a name.
    await ask(client, "graph_add_edge", source_name="Checkuot", relation="PART_OF", target_name="Shop")
    await ask(client, "rename_entity", name="Checkuot", new_name="Checkout", reason="A typo.")
    [near] = (await ask(client, "graph_query_neighbors", node_name="Shop"))["neighbors"]
    assert near["name"] == "Checkout"
    # Two names of one thing.
    await ask(client, "graph_add_edge", source_name="Shop", relation="USES", target_name="Postgres")
    await ask(client, "graph_add_edge", source_name="PostgreSQL", relation="RUNS_ON", target_name="Linux")
    await ask(client, "merge_entities", keep="PostgreSQL", drop="Postgres", reason="They are one.")
    assert (await ask(client, "graph_find_path", start_node="Shop", end_node="Linux"))["path_found"]
    # A decision that should never have been made.
    wrong = (await ask(client, "record_decision", title="Use Oracle", target="database", rationale=_WHY))["decision_id"]
    await ask(client, "retract", ids=[wrong], reason="Nobody decided that.")
    assert (await ask(client, "search_decisions", query="database"))["results"] == []
    # A secret that was saved as a memory.
    secret = (await ask(client, "save_memory", text="The code of the safe is quartz seven."))["id"]
    assert (await refused(client, "erase", ids=[secret], reason="A secret."))["code"] == "PERMISSION_DENIED"
    async with connect(role="admin", kind="human", name="grace") as admin:
        assert (await ask(admin, "erase", ids=[secret], reason="A secret."))["erased"] == {"memory": 1}
    assert (await ask(client, "search", query="code of the safe"))["items"] == []


@pytest.mark.proves("CUR-1", "CUR-2", "CUR-9")
async def test_the_life_of_a_decision_is_lived_through_and_looked_back_on(client: Client) -> None:
    first = (await ask(client, "record_decision", title="Use Kafka", target="queue", rationale=_WHY))["decision_id"]
    second = (
        await ask(
            client,
            "supersede_decision",
            title="Use Rabbit",
            target="queue",
            rationale="Kafka is too much for our few messages.",
            old_decision_ids=[first],
        )
    )["decision_id"]
    told = await ask(client, "why", of="queue")
    assert [each["id"] for each in (*told["in_force"], *told["earlier"])] == [second, first]
    [latest, *_] = (await ask(client, "changes", about=second))["changes"]
    assert latest["operation"] == "supersede_decision"
    between = latest["at"]
    await ask(client, "undo", change_id=latest["id"])
    [found] = (await ask(client, "search_decisions", query="queue", mode="strict"))["results"]
    assert found["id"] == first
    [then] = (await ask(client, "list_decisions", as_of=between))["decisions"]
    assert then["id"] == second


@pytest.mark.proves("CUR-1", "CUR-18")
async def test_a_retraction_is_out_of_every_answer_once_it_is_acknowledged(
    client: Client, app: App, namespace: str
) -> None:
    decision = (
        await ask(client, "record_decision", title="Use Oracle", target="database", rationale=_WHY, about=["Shop"])
    )["decision_id"]
    memory = (await ask(client, "save_memory", text="We use Oracle as our [[database]]."))["id"]
    message = {"agent_id": "ada", "sender": "user", "message_content": "Oracle is our database."}
    said = (await _call(client, "store_conversation_message", **message))["message_id"]
    async with _http(app, namespace) as http:
        answer = await http.post("/retract", json={"ids": [decision, memory, said], "reason": "It was wrong."})
        assert answer.status_code == 200, answer.text
        answers: list[Any] = [
            await ask(client, "search_decisions", query="Oracle database", mode="audit"),
            await ask(client, "list_decisions", status="all"),
            await ask(client, "search", query="Oracle database"),
            await _call(client, "search_conversations", agent_id="ada", query="Oracle"),
            await _call(client, "get_conversation_history", agent_id="ada"),
            await ask(client, "graph_query_neighbors", node_name="Shop"),
            await ask(client, "graph_query_neighbors", node_name="database"),
            (await http.get("/decisions")).json(),
            (await http.post("/entries/query", json={"query": "Oracle"})).json(),
            (await http.get("/graph/neighbors", params={"node_name": "Shop"})).json(),
        ]
        assert (await refused(client, "get_decisions", targets=["database"]))["code"] == "NOT_FOUND"
        assert "Oracle" not in json.dumps([{k: v for k, v in each.items() if k != "message"} for each in answers])
        undone = await http.post("/undo", json={"change_id": answer.json()["change_id"]})
        assert undone.status_code == 200, undone.text
    assert [each["id"] for each in (await ask(client, "search_decisions", query="database"))["results"]] == [decision]
