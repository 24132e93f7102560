"""What holds for every tool, whatever it does."""

import json
from typing import Any

import anyio
import jsonschema
import pytest
from mcp import Client
from mcp_types import TextContent
from neo4j import AsyncDriver

from server.app import App, open_app
from server.decisions.tools import TOOLS as DECISIONS
from tests.interaction.conftest import Connect, settings_for
from tests.interaction.tools import ask, refused

pytestmark = pytest.mark.anyio

_CALLS: dict[str, dict[str, Any]] = {
    "record_decision": {"title": "T", "target": "one", "rationale": "long enough"},
    "search_decisions": {"query": "T"},
    "graph_add_node": {"label": "L", "name": "n"},
    "graph_add_edge": {"source_name": "n", "target_name": "m", "relation": "R"},
    "graph_query_neighbors": {"node_name": "n"},
    "graph_find_path": {"start_node": "n", "end_node": "m"},
}


@pytest.mark.proves("mcp:structured")
async def test_every_answer_fits_its_published_schema(client: Client) -> None:
    tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    for name, arguments in _CALLS.items():
        schema = tools[name].output_schema
        assert schema is not None
        jsonschema.validate(await ask(client, name, **arguments), schema)


@pytest.mark.proves("mcp:small", "mcp:annotations")
async def test_the_list_of_tools_is_small_and_honest(client: Client) -> None:
    tools = (await client.list_tools()).tools
    first = [tool for tool in tools if tool.name in {*_CALLS, "supersede_decision"}]
    assert len(first) == 7
    listed = json.dumps([tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in first])
    assert len(listed.encode()) <= 10_000
    for tool in tools:
        assert tool.description
        assert tool.annotations is not None
    told = {tool.name: tool.annotations for tool in tools if tool.annotations}
    assert told["search_decisions"].read_only_hint
    assert told["graph_find_path"].read_only_hint
    assert told["graph_add_node"].idempotent_hint
    assert not told["record_decision"].read_only_hint
    assert told["supersede_decision"].destructive_hint


@pytest.mark.proves("mcp:unknown-tool")
async def test_an_unknown_tool_is_named_with_those_there_are(client: Client) -> None:
    result = await client.call_tool("graph_delete_everything", {})
    assert result.is_error
    assert "graph_find_path" in json.dumps(result.structured_content)


@pytest.mark.proves("mcp:bad-arguments")
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


@pytest.mark.proves("mcp:crowd")
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


@pytest.mark.proves("mcp:crowd")
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


@pytest.mark.proves("mcp:toolsets", "decisions:cooldown")
async def test_a_part_of_the_families_can_be_published_and_writes_cool_down(
    neo4j: tuple[str, str, str], graph: object, connect: Connect, tmp_path: Any
) -> None:
    settings = settings_for(neo4j, tmp_path, PRECEDENT_TOOLSETS="decisions", PRECEDENT_WRITE_COOLDOWN=60)
    async with open_app(settings) as part, part.http.router.lifespan_context(part.http), connect(to=part) as client:
        assert {tool.name for tool in (await client.list_tools()).tools} == {tool.name for tool in DECISIONS}
        await refused(client, "record_decision", title="", target="t", rationale="long enough")
        await ask(client, "record_decision", title="A", target="t", rationale="long enough")
        error = await refused(client, "record_decision", title="B", target="u", rationale="long enough")
        assert error["code"] == "RATE_LIMIT_EXCEEDED"
        assert error["message"].startswith("Rate limit exceeded")
        assert 0 < error["details"]["retry_after_seconds"] <= 60


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
