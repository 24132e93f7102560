"""What holds for every tool, whatever it does."""

import json
from typing import Any

import anyio
import httpx2
import jsonschema
import pytest
from mcp import Client
from mcp_types import TextContent
from neo4j import AsyncDriver

from server.access import capacity, roles
from server.access.capacity import Capacity
from server.app import App, open_app
from server.core.principals import Role
from server.decisions.tools import TOOLS as DECISIONS
from server.mcp.listing import listed
from server.mcp.toolsets import CORE, TOOLSETS
from tests.interaction.conftest import SECRET, Connect, settings_for
from tests.interaction.tools import ask, refused

pytestmark = pytest.mark.anyio

_TOOLS = {tool.name: tool for family in TOOLSETS.values() for tool in family}
_CALLS: dict[str, dict[str, Any]] = {
    "record_decision": {"title": "T", "target": "one", "rationale": "long enough"},
    "search_decisions": {"query": "T"},
    "graph_add_node": {"label": "L", "name": "n"},
    "graph_add_edge": {"source_name": "n", "target_name": "m", "relation": "R"},
    "graph_query_neighbors": {"node_name": "n"},
    "graph_find_path": {"start_node": "n", "end_node": "m"},
}


@pytest.mark.proves("SVC-34")
async def test_every_answer_fits_its_schema(client: Client) -> None:
    for name, arguments in _CALLS.items():
        answer = await ask(client, name, **arguments)
        jsonschema.validate(answer, _TOOLS[name].output_schema())
        jsonschema.validate(answer, listed(_TOOLS[name], output_schemas=True).output_schema or False)


@pytest.mark.proves("SVC-36", "SVC-37")
async def test_the_list_of_tools_is_small_and_honest(connect: Connect) -> None:
    async with connect(role="admin") as admin:
        tools = (await admin.list_tools()).tools
    assert {tool.name for tool in tools} == set(_TOOLS)
    wire = [tool.model_dump_json(by_alias=True, exclude_none=True) for tool in tools]
    assert len(",".join(wire).encode()) <= 40_000
    for tool in tools:
        assert tool.description
        assert tool.annotations is not None
    told = {tool.name: tool.annotations for tool in tools if tool.annotations}
    assert told["search_decisions"].read_only_hint
    assert told["graph_find_path"].read_only_hint
    assert told["graph_add_node"].idempotent_hint
    assert not told["record_decision"].read_only_hint
    assert told["supersede_decision"].destructive_hint


@pytest.mark.proves("SVC-40")
async def test_a_caller_is_shown_what_it_may_call_and_keeps_it_for_itself(connect: Connect) -> None:
    for role in ("viewer", "agent", "admin"):
        async with connect(role=role, name=role) as caller:
            answer = await caller.list_tools()
            unknown = (await refused(caller, "graph_delete_everything"))["error"]["message"]
        allowed = {name for name in _TOOLS if roles.TOOLS[name] <= Role.parse(role)}
        assert {tool.name for tool in answer.tools} == allowed
        assert (answer.ttl_ms, answer.cache_scope) == (0, "private")
        assert ("accept_proposal" in unknown) is (role == "admin")
    assert "save_memory" not in {name for name, least in roles.TOOLS.items() if least is Role.VIEWER}


@pytest.mark.proves("SVC-35")
@pytest.mark.usefixtures("no_passages")
async def test_output_schemas_are_listed_where_they_are_asked_for(
    neo4j: tuple[str, str, str], graph: object, connect: Connect, tmp_path: Any
) -> None:
    settings = settings_for(neo4j, tmp_path, PRECEDENT_TOOLSETS="core", PRECEDENT_OUTPUT_SCHEMAS="true")
    async with open_app(settings) as part, part.http.router.lifespan_context(part.http), connect(to=part) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert set(tools) == CORE
        for name, arguments in _CALLS.items():
            if name in tools:
                # The client compares each answer with the schema that was listed.
                jsonschema.validate(await ask(client, name, **arguments), tools[name].output_schema or False)
                assert (await refused(client, name, unknown=1))["code"] == "INVALID_ARGUMENT"


@pytest.mark.proves("SVC-45")
async def test_white_space_around_the_value_of_a_header_changes_nothing(app: App) -> None:
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    body = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "ping", "arguments": {}, "_meta": meta},
    }
    headers = {
        "Accept": "application/json, text/event-stream",
        "Authorization": f" Bearer {SECRET}\t",
        "MCP-Protocol-Version": " 2026-07-28 ",
        "Mcp-Method": "  tools/call\t",
    }
    transport = httpx2.ASGITransport(app=app.http)
    async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1") as http:
        for name, status in (("ping", 200), ("  ping  ", 200), ("\tping", 200), ("pi ng", 400), (" pong ", 400)):
            answer = await http.post("/mcp", json=body, headers={**headers, "Mcp-Name": name})
            assert answer.status_code == status, (name, answer.text)


@pytest.mark.proves("SVC-43")
async def test_an_unknown_tool_is_named_with_those_there_are(client: Client) -> None:
    result = await client.call_tool("graph_delete_everything", {})
    assert result.is_error
    assert "graph_find_path" in json.dumps(result.structured_content)


@pytest.mark.proves("SVC-46")
@pytest.mark.parametrize("tool", sorted(_CALLS))
async def test_bad_arguments_get_the_familys_form_and_store_nothing(
    client: Client, driver: AsyncDriver, tool: str, namespace: str
) -> None:
    good = _CALLS[tool]
    first = next(iter(good))
    for bad in ({}, {**good, "unknown": 1}, {**good, first: 7}, {**good, first: None}, {**good, first: ""}):
        if bad.get(first) == "" and tool == "graph_add_node":
            continue  # an empty label is a label
        error = await refused(client, tool, **bad)
        expected = {"status", "message"} if "decision" in tool else {"error", "details", "tool"}
        assert expected <= set(error)
        assert error["code"] == "INVALID_ARGUMENT"
        assert "Traceback" not in str(error)
        assert "pydantic" not in str(error)
    count = "MATCH (n) WHERE n.namespace = $namespace RETURN count(n) AS nodes"
    records, _, _ = await driver.execute_query(count, namespace=namespace, database_="neo4j")
    assert records[0]["nodes"] == 0


@pytest.mark.proves("SVC-44")
async def test_twenty_calls_at_once_on_one_session_are_each_answered_once(client: Client) -> None:
    answers: dict[int, dict[str, Any]] = {}

    async def add(number: int) -> None:
        answers[number] = await ask(
            client, "graph_add_edge", source_name="hub", target_name=f"leaf {number % 10}", relation="HAS"
        )

    async with anyio.create_task_group() as tasks:
        for number in range(20):
            tasks.start_soon(add, number)
    assert len(answers) == 20
    assert sum(answer["created"] for answer in answers.values()) == 10
    assert (await ask(client, "graph_query_neighbors", node_name="hub"))["total_neighbors"] == 10


@pytest.mark.proves("SVC-44")
async def test_eight_clients_at_once_lose_and_double_nothing(connect: Connect) -> None:
    created: list[bool] = []

    async def work(number: int) -> None:
        async with connect(name=f"client {number}") as client:
            for step in range(5):
                answer = await ask(client, "graph_add_node", label="Thing", name=f"thing {step}")
                created.append(answer["created"])
            await ask(
                client,
                "record_decision",
                title=f"Decision {number}",
                target=f"target {number}",
                rationale="One of eight at once.",
            )

    async with anyio.create_task_group() as tasks:
        for number in range(8):
            tasks.start_soon(work, number)
    assert sum(created) == 5
    async with connect() as client:
        found = await ask(client, "search_decisions", query="one of eight at once", limit=20)
    assert len(found["results"]) == 8


@pytest.mark.proves("DEC-70", "SVC-38")
@pytest.mark.usefixtures("no_passages")
async def test_a_part_of_the_families_can_be_published_and_writes_cool_down(
    neo4j: tuple[str, str, str], graph: object, connect: Connect, tmp_path: Any
) -> None:
    settings = settings_for(neo4j, tmp_path, PRECEDENT_TOOLSETS="decisions", PRECEDENT_WRITE_COOLDOWN=60)
    async with open_app(settings) as part, part.http.router.lifespan_context(part.http), connect(to=part) as client:
        mine = {tool.name for tool in DECISIONS if roles.TOOLS[tool.name] <= Role.AGENT}
        assert {tool.name for tool in (await client.list_tools()).tools} == mine
        await refused(client, "record_decision", title="", target="t", rationale="long enough")
        await ask(client, "record_decision", title="A", target="t", rationale="long enough")
        error = await refused(client, "record_decision", title="B", target="u", rationale="long enough")
        assert error["code"] == "RATE_LIMIT_EXCEEDED"
        assert error["message"].startswith("Rate limit exceeded")
        assert 0 < error["details"]["retry_after_seconds"] <= 60


@pytest.mark.proves("SVC-48")
async def test_an_answer_of_a_thousand_neighbours_is_cut_and_says_so(app: App, client: Client) -> None:
    for number in range(120):
        await ask(
            client,
            "graph_add_edge",
            source_name="hub",
            target_name=f"leaf {number} {'x' * 400}",
            relation="HAS",
        )
    result = await client.call_tool("graph_query_neighbors", {"node_name": "hub", "limit": 1000})
    (block,) = result.content
    assert isinstance(block, TextContent)
    assert len(block.text.encode()) <= app.settings.answer_limit
    answer = json.loads(block.text)
    assert answer["total_neighbors"] == 120
    assert answer["truncated"] is True
    assert "did not fit" in answer["left_out"]


@pytest.mark.proves("SVC-87")
async def test_a_call_that_the_service_cannot_carry_out_soon_is_told_when_to_come_back(
    app: App, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(capacity, "_WAIT_SECONDS", 0.01)
    full = Capacity(1)
    monkeypatch.setattr(app.executor, "_capacity", full)
    turn = await full.take_turn()
    error = await refused(client, "graph_add_node", label="Thing", name="x")
    assert (error["code"], error["data"]["retry_after_seconds"] > 0) == ("OVERLOADED", True)
    turn.end()
    for _ in range(2):  # each call ends its turn, also one that fails
        await refused(client, "graph_add_node", label="Thing")
    assert (await ask(client, "graph_add_node", label="Thing", name="x"))["created"] is True
