"""Bad input, derived from the schema of each tool: it is refused in one form and changes nothing. Source: MEM-64."""

import hashlib
import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from server.entries.tools import TOOLS
from server.graph.graph import connect
from server.graph.sequence import IdSequence
from tests.agents import texts
from tests.conftest import Cypher
from tests.entries.conftest import Agent, Make

pytestmark = pytest.mark.anyio
GOOD: dict[str, dict[str, Any]] = {
    "save_memory": {"text": "x"},
    "search": {"query": "x"},
    "timeline": {"anchor_id": "x"},
    "get_entries": {"ids": ["x"]},
    "ingest_docs": {},
    "retention_dry_run": {"max_age_days": 1},
}
CODES = {"INVALID_ARGUMENT", "POLICY_BLOCKED", "ENTRY_NOT_FOUND", "STORAGE_FAILURE", "MIGRATION_FAILURE"}
MISSING = object()
WRONG: dict[str, list[Any]] = {
    "string": [1, 1.5, True, None, [], {}, ["x"]],
    "integer": ["1", 1.5, True, None, [], {}, "x"],
    "number": ["1", True, None, [], {}],
    "array": ["x", 1, None, {}, True, [1], [None], [[]]],
    "object": ["x", 1, None, [], True],
    "boolean": ["true", 1, None, [], {}],
}


def _bad() -> Iterator[tuple[str, str, Any]]:
    for tool in TOOLS:
        schema = tool.input_schema()
        for field, part in schema["properties"].items():
            values = list(WRONG[part["type"]])
            if field in schema.get("required", ()):
                values.append(MISSING)
                values += ["", "  ", "\n\t"] if part["type"] == "string" else [[]]
            if "maxLength" in part:
                values.append("x" * (part["maxLength"] + 1))
            if part.get("format") == "date-time":
                values += ["", "tomorrow", "2026-02-30", "12:00"]
            yield from ((tool.name, field, value) for value in values)


CASES = list(_bad())


def _format_value(value: Any) -> str:
    return "missing" if value is MISSING else repr(value)[:20]


async def _fingerprint(cypher: Cypher) -> tuple[int, str]:
    """Return the number of rows of a namespace, and a hash of all of them."""
    rows = await cypher(
        "MATCH (n {namespace: $namespace}) OPTIONAL MATCH (n)-[r]->(m) "
        "WITH n, r, m ORDER BY elementId(n), elementId(r) "
        "RETURN labels(n) AS labels, properties(n) AS properties, type(r) AS type, elementId(m) AS other"
    )
    return len(rows), hashlib.sha256(repr(rows).encode()).hexdigest()


@pytest.mark.proves("MEM-3", "MEM-64")
@pytest.mark.parametrize(
    ("tool", "field", "value"), CASES, ids=[f"{tool}-{field}-{_format_value(value)}" for tool, field, value in CASES]
)
async def test_a_bad_argument_is_named_in_the_documented_form_and_nothing_is_written(
    modern: Agent, cypher: Cypher, tool: str, field: str, value: Any
) -> None:
    arguments = {**GOOD[tool], field: value}
    if value is MISSING:
        del arguments[field]
    error = await modern.refused(tool, **arguments)
    assert error["code"] == "INVALID_ARGUMENT"
    assert field in error["message"]
    assert await cypher("MATCH (n {namespace: $namespace}) RETURN n") == []


any_json = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("abc", max_size=3), inner, max_size=3),
    max_leaves=5,
)
READING = [tool for tool in TOOLS if tool.read_only]
FIELDS = sorted({field for tool in READING for field in tool.input_schema()["properties"]})


@pytest.mark.proves("MEM-64")
@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    tool=st.sampled_from(sorted(tool.name for tool in READING)),
    arguments=st.dictionaries(st.sampled_from([*FIELDS, "unknown"]), any_json, max_size=5),
    good=st.booleans(),
)
async def test_whatever_a_reading_tool_is_given_it_answers_in_form_and_changes_nothing(
    modern: Agent, cypher: Cypher, tool: str, arguments: dict[str, Any], good: bool
) -> None:
    await cypher("MERGE (e:Entry {namespace: $namespace, id: 'kept'}) ON CREATE SET e.node_id = -1, e.body = 'x'")
    before = await _fingerprint(cypher)
    result = await modern.call(tool, **({**GOOD[tool], **arguments} if good else arguments))
    assert result.structured_content is not None
    assert json.loads(texts(result)[0]) == result.structured_content
    if result.is_error:
        assert result.structured_content["error"]["code"] in CODES - {"STORAGE_FAILURE", "MIGRATION_FAILURE"}
    assert await _fingerprint(cypher) == before


@pytest.mark.proves("MEM-64")
@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(arguments=st.dictionaries(st.sampled_from(sorted(TOOLS[0].input_schema()["properties"])), any_json, max_size=4))
async def test_a_save_that_is_refused_has_written_nothing(
    modern: Agent, cypher: Cypher, arguments: dict[str, Any]
) -> None:
    before = await _fingerprint(cypher)
    result = await modern.call("save_memory", **arguments)
    if result.is_error:
        assert result.structured_content is not None
        assert result.structured_content["error"]["code"] == "INVALID_ARGUMENT"
        assert await _fingerprint(cypher) == before
    else:
        assert (await _fingerprint(cypher))[0] > before[0]


@pytest.mark.proves("MEM-6")
@pytest.mark.parametrize(
    "metadata",
    [
        {"deep": json.loads("[" * 101 + "]" * 101)},
        {"long": "x" * 262_144},
        {"x" * 262_144: 1},
    ],
    ids=["deep", "long", "long key"],
)
async def test_metadata_has_bounds(modern: Agent, metadata: dict[str, Any]) -> None:
    error = await modern.refused("save_memory", text="x", metadata=metadata)
    assert (error["code"], "metadata" in error["message"]) == ("INVALID_ARGUMENT", True)


@pytest.mark.proves("MEM-3")
async def test_the_longest_text_is_stored_and_one_letter_more_is_not(modern: Agent, cypher: Cypher) -> None:
    longest = ("seven words are said in this sentence. " * 30_000)[:1_048_575] + "!"
    id_ = await modern.save(longest)
    [entry] = await modern.items("get_entries", ids=[id_])
    assert entry["body"] == longest
    assert (await modern.refused("save_memory", text=longest + "!"))["code"] == "INVALID_ARGUMENT"
    # Its thousands of passages would be embedded by the next test that waits for its own.
    await cypher("MATCH (n {namespace: $namespace}) DETACH DELETE n")


@pytest.mark.proves("MEM-63")
async def test_a_graph_that_is_down_is_a_storage_failure(make: Make, modern: Agent) -> None:
    async with (
        connect("bolt://127.0.0.1:1", "neo4j", "x", retry_time=0) as down,
        modern.at(make(graph=down, sequence=IdSequence(down))).connected() as cut_off,
    ):
        for tool in ("save_memory", "search", "timeline", "get_entries", "retention_dry_run"):
            error = await cut_off.refused(tool, **GOOD[tool])
            assert (error["code"], error["details"]) == ("STORAGE_FAILURE", {"cause": "GRAPH_UNAVAILABLE"})
