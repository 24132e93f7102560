"""Bad input, derived from each tool's schema: it is refused, every fault is named, and nothing is stored."""

import hashlib
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from server.access.roles import TOOLS as ROLES
from server.interface.tools import AnyTool
from server.journal.tools import TOOLS
from tests.agents import error, texts
from tests.conftest import Cypher
from tests.journal.conftest import Agent

pytestmark = pytest.mark.anyio
BY_NAME = {tool.name: tool for tool in TOOLS}
GOOD: dict[str, dict[str, Any]] = {
    "store_conversation_message": {"sender": "user", "message_content": "x"},
    "get_conversation_history": {},
    "get_agents": {},
    "get_conversations": {},
    "search_conversations": {"query": "x"},
    "store_context": {"context_type": "t", "context_data": {}},
    "get_context": {"context_type": "t"},
    "get_all_contexts": {},
    "add_reference_key": {"key_type": "t", "key_value": "v"},
    "get_reference_keys": {},
    "log_source_attribution": {"source_type": "t", "retrieval_timestamp": 1},
    "get_source_attributions": {},
    "log_correction": {"correction_type": "t", "applied_automatically": True},
    "get_correction_logs": {},
    "log_success_metric": {"metric_name": "n", "metric_value": 1},
    "get_success_metrics": {},
    "tavily_web_search": {"query": "x"},
}
MISSING = object()
HALF = "\ud800"


def good(tool: AnyTool) -> dict[str, Any]:
    """Return valid arguments of a tool."""
    return {**({} if tool.name in {"tavily_web_search", "get_agents"} else {"agent_id": "ada"}), **GOOD[tool.name]}


def bad_values(tool: AnyTool, field: str) -> list[Any]:
    """Return values that the schema of a field excludes, and values that its limits exclude."""
    schema = tool.input_schema()
    part = schema["properties"][field]
    kinds = part["type"] if isinstance(part["type"], list) else [part["type"]]
    values = [MISSING] if field in schema.get("required", []) else []
    values += [] if "null" in kinds else [None]
    return values + list(_of_kind(kinds[0], part))


def _of_kind(kind: str, part: dict[str, Any]) -> Iterator[Any]:
    if kind == "string":
        yield from (1, True, [], {}, ["x"], HALF, f"x{HALF}")
        if "enum" in part:
            yield from ("", "nope")
        else:
            yield "x" * (part["maxLength"] + 1)
        if part.get("minLength"):
            yield ""
    elif kind in {"integer", "number"}:
        yield from ("1", True, [], {}, 2**70)
        if kind == "integer":
            yield 1.5
        yield from (part[name] + step for name, step in (("minimum", -1), ("maximum", 1)) if name in part)
    elif kind == "boolean":
        yield from (0, 1, "true", "", [])
    elif kind == "object":
        yield from (1, "x", "{}", [], [{}], True, {"a": HALF}, {"x": "y" * 1_048_576}, _deep(101))
    elif kind == "array":
        yield from (1, "x", {}, [1], [None], [""], [HALF], ["x"] * (part["maxItems"] + 1))


def _deep(levels: int) -> dict[str, Any]:
    deep: dict[str, Any] = {}
    for _ in range(levels - 1):
        deep = {"d": deep}
    return deep


FAULTS = [
    (tool.name, field, value)
    for tool in TOOLS
    for field in tool.input_schema()["properties"]
    for value in bad_values(tool, field)
]


async def _state(cypher: Cypher) -> tuple[int, str]:
    """Return the number of records, and a hash of their properties and relationships."""
    rows = await cypher(
        "MATCH (n {namespace: $namespace}) WHERE NOT n:Sequence "
        "RETURN properties(n) AS content, COLLECT { MATCH (n)-[e]->(to) RETURN type(e) + to.id } AS edges ORDER BY n.id"
    )
    return len(rows), hashlib.sha256(repr(rows).encode()).hexdigest()


async def _populated(agent: Agent) -> None:
    for name, tool in BY_NAME.items():
        if not tool.read_only and name != "tavily_web_search":
            await agent.ask(name, **GOOD[name])


def _with(tool: AnyTool, changes: dict[str, Any]) -> dict[str, Any]:
    arguments = {**good(tool), **changes}
    return {name: value for name, value in arguments.items() if value is not MISSING}


async def test_the_good_arguments_are_accepted(agent: Agent) -> None:
    for name, arguments in GOOD.items():
        if name != "tavily_web_search":
            assert not (await agent.call(name, **arguments)).is_error, name
    assert set(GOOD) == set(BY_NAME)


@pytest.mark.proves("JRN-14", "JRN-66", "JRN-68")
@pytest.mark.parametrize("name", GOOD)
async def test_every_fault_of_every_argument_is_refused_by_its_name(modern: Agent, cypher: Cypher, name: str) -> None:
    await _populated(modern)
    before = await _state(cypher)
    for tool, field, value in FAULTS:
        if tool == name:
            result = await modern.raw(tool, _with(BY_NAME[tool], {field: value}))
            assert result.is_error, (field, value)
            refused = error(result)
            assert refused["code"] == "InvalidParams", (field, value)
            assert "InvalidParams" in texts(result)[0]
            assert field in refused["message"], (field, value)
            assert len(texts(result)[0]) < 10_000
    assert await _state(cypher) == before


@st.composite
def _faulty(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    name = draw(st.sampled_from(sorted(GOOD)))
    faults = [(field, value) for tool, field, value in FAULTS if tool == name]
    drawn = draw(st.lists(st.integers(0, len(faults) - 1), min_size=1, max_size=6))
    return name, {faults[n][0]: faults[n][1] for n in drawn}


@pytest.mark.proves("JRN-67")
@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(faulty=_faulty())
async def test_all_faults_of_a_call_are_reported_together(
    modern: Agent, cypher: Cypher, faulty: tuple[str, dict[str, Any]]
) -> None:
    name, changes = faulty
    before = await _state(cypher)
    refused = error(await modern.raw(name, _with(BY_NAME[name], changes)))
    assert refused["code"] == "InvalidParams"
    if None not in changes.values():  # a null is refused before anything else is looked at
        reported = {problem["field"].split(".")[0] for problem in refused["details"]["fields"]}
        assert reported == set(changes)
    assert await _state(cypher) == before


@pytest.mark.proves("JRN-4", "JRN-66")
@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    name=st.sampled_from(sorted(GOOD)),
    unknown=st.text(st.characters(codec="utf-8"), max_size=20),
    value=st.none() | st.integers() | st.text(st.characters(codec="utf-8"), max_size=20),
)
async def test_an_unknown_argument_is_refused_by_writes_and_ignored_by_get_tools(
    modern: Agent, cypher: Cypher, name: str, unknown: str, value: Any
) -> None:
    if unknown in BY_NAME[name].input_schema()["properties"]:
        return
    before = await _state(cypher)
    result = await modern.raw(name, _with(BY_NAME[name], {unknown: value}))
    assert result.is_error is not name.startswith("get_")
    if result.is_error:
        assert error(result)["code"] == "InvalidParams"
        assert await _state(cypher) == before


@pytest.mark.proves("JRN-67")
@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    arguments=st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(st.characters(codec="utf-8"), max_size=10),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("agent_id", max_size=8), inner, max_size=3),
    ).map(lambda value: value if isinstance(value, dict) else {"agent_id": value}),
    name=st.sampled_from(sorted(set(GOOD) - {"tavily_web_search"})),
)
async def test_no_arguments_crash_a_tool(modern: Agent, name: str, arguments: dict[str, Any]) -> None:
    result = await modern.raw(name, arguments)
    if result.is_error:
        assert error(result)["code"] == "InvalidParams"


@pytest.mark.proves("JRN-14")
@pytest.mark.parametrize("field", ["agent_id", "sender", "message_type", "user_id", "conversation_id"])
async def test_a_blank_id_or_name_is_refused(modern: Agent, field: str) -> None:
    refused = await modern.refused(
        "store_conversation_message", **{**GOOD["store_conversation_message"], field: " \n\t"}
    )
    assert (refused["code"], refused["details"]["fields"][0]["field"]) == ("InvalidParams", field)


CONTROL = "".join(map(chr, [*range(1, 32), 127, 0x85, 0x200B, 0x2028, 0xFEFF, 0x1F600])) + "\0"


@pytest.mark.proves("JRN-12", "JRN-68")
@pytest.mark.parametrize("name", [name for name, tool in BY_NAME.items() if ROLES[tool.name] > 1])
async def test_control_characters_are_stored_and_come_back(modern: Agent, name: str) -> None:
    """In every field that is free text; ids of other records are unknown with them."""
    free = {
        field: f"{field}{CONTROL}"
        for field, part in BY_NAME[name].input_schema()["properties"].items()
        if "string" in part["type"]
        and field not in {"context_snapshot_id", "source_attribution_id", "parent_context_id"}
    }
    await modern.ask(name, **{**GOOD[name], **free})
    get = {
        "store_conversation_message": "get_conversation_history",
        "store_context": "get_all_contexts",
        "add_reference_key": "get_reference_keys",
        "log_source_attribution": "get_source_attributions",
        "log_correction": "get_correction_logs",
        "log_success_metric": "get_success_metrics",
    }[name]
    [found] = await modern.ask(get, agent_id=free["agent_id"])
    assert {field: found[field] for field in free} == free


INDEXED = ("conversation_id", "user_id", "context_type", "key_type", "source_type", "correction_type", "metric_name")


@pytest.mark.proves("JRN-14")
async def test_names_of_the_greatest_length_fit_every_index(modern: Agent, namespace: str) -> None:
    """In characters of four bytes, in the longest namespace."""
    longest = {"agent_id": "🎉" * 500, **dict.fromkeys(INDEXED, "🎉" * 1_000)}
    async with modern.at(namespace=(namespace + "🎉" * 200)[:200]).connected() as agent:
        for name, arguments in GOOD.items():
            if name != "tavily_web_search":
                fields = BY_NAME[name].input_schema()["properties"]
                result = await agent.raw(
                    name, {**arguments, **{field: longest[field] for field in longest if field in fields}}
                )
                assert not result.is_error, texts(result)
