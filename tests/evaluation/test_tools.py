"""The tools' schemas as cognitive.md has them, and what they refuse."""

import math
from typing import Any

import pytest

from server.access.roles import TOOLS as ROLES
from server.errors import (
    ApiKeyMissing,
    Conflict,
    GoldenSetEmpty,
    GraphUnavailable,
    InternalError,
    InvalidArgument,
    JudgeUnavailable,
    NotFound,
    PermissionDenied,
    PrecedentError,
    QueryTimeout,
    SetupError,
)
from server.evaluation.tools import TOOLS, envelope
from server.principals import Role
from tests.conftest import Cypher
from tests.evaluation.conftest import Agent, ScriptedPanel

pytestmark = pytest.mark.anyio
BY_NAME = {tool.name: tool for tool in TOOLS}
GOOD: dict[str, Any] = {"query_id": 42, "query": "Who?", "docs": [{"id": 1, "content": "insight 1"}]}
# cognitive.md "store_dual_judge_scores": what its signature says of each argument.
SPECIFIED = {
    "query_id": {"type": "integer", "minimum": 1},
    "query": {"type": "string", "minLength": 1},
    "docs": {"type": "array", "minItems": 1, "maxItems": 50},
}


@pytest.mark.proves("evaluation:schema")
def test_the_arguments_are_those_of_the_page() -> None:
    schema = BY_NAME["store_dual_judge_scores"].input_schema()
    assert schema["required"] == list(schema["properties"]) == list(SPECIFIED)
    for name, said in SPECIFIED.items():
        assert said.items() <= schema["properties"][name].items()
    items = schema["properties"]["docs"]["items"]
    assert items["required"] == list(items["properties"]) == ["id", "content"]
    assert items["properties"]["id"]["type"] == "integer"
    assert {"type": "string", "minLength": 1}.items() <= items["properties"]["content"].items()
    nothing = BY_NAME["get_golden_test_results"].input_schema()
    assert (nothing["properties"], nothing.get("required", []), nothing["additionalProperties"]) == ({}, [], False)


@pytest.mark.proves("evaluation:schema")
def test_the_answers_have_the_fields_of_the_page() -> None:
    properties = {name: tool.output_schema()["properties"] for name, tool in BY_NAME.items()}
    assert set(properties["store_dual_judge_scores"]) == {
        "query_id", "judge1_score", "judge2_score", "kappa", "agreement", "evaluated_documents", "status",
    }  # fmt: skip
    golden = properties["get_golden_test_results"]
    assert set(golden) == {
        "date", "precision_at_5", "baseline_precision", "drift_detected", "queries_tested", "details",
        "query_breakdown",
    }  # fmt: skip
    breakdown = golden["query_breakdown"]["properties"]
    assert {name: set(part["properties"]) for name, part in breakdown.items()} == {
        kind: {"count", "precision_at_5"} for kind in ("short", "medium", "long")
    }


def test_both_tools_write_and_only_the_judges_reach_out() -> None:
    hints = {
        name: (ROLES[tool.name], tool.read_only, tool.destructive, tool.idempotent, tool.open_world)
        for name, tool in BY_NAME.items()
    }
    assert hints == {
        "store_dual_judge_scores": (Role.AGENT, False, False, False, True),
        "get_golden_test_results": (Role.AGENT, False, False, True, False),
    }


_DOC = {"id": 1, "content": "x"}
_BAD: dict[str, tuple[Any, ...]] = {
    "query_id": (None, 0, -1, "1", 1.0, 1.5, True, [], 2**53, 2**70),
    "query": (None, "", 1, ["x"], "\ud800", "x" * 10_001),
    "docs": (
        *(None, [], {}, "x", [1], [None], [[]], [{**_DOC, "id": number} for number in range(51)], [_DOC, _DOC]),
        *([{"id": 1}], [{"content": "x"}], [{**_DOC, "more": 1}], [{**_DOC, "id": None}], [{**_DOC, "id": "1"}]),
        *([{**_DOC, "id": 1.0}], [{**_DOC, "id": True}], [{**_DOC, "id": 2**53}], [{**_DOC, "content": None}]),
        *([{**_DOC, "content": ""}], [{**_DOC, "content": {}}], [{**_DOC, "content": "\ud800"}]),
        [{**_DOC, "content": "x" * 100_001}],
    ),
    "more": (1,),
}
FAULTS = [(field, value) for field, values in _BAD.items() for value in values]


@pytest.mark.proves("evaluation:bad-input")
async def test_every_fault_of_every_argument_is_refused_and_nothing_is_judged(
    agent: Agent, panel: ScriptedPanel, insights: None, cypher: Cypher
) -> None:
    await cypher("CREATE (:GroundTruth {namespace: $namespace, id: 42, query: 'Who?', name: 'Who?'})")
    panel.first["insight 1"] = panel.second["insight 1"] = 1.0
    faults = [*((field, {**GOOD, field: value}) for field, value in FAULTS)]
    faults += [(field, {name: GOOD[name] for name in GOOD if name != field}) for field in GOOD]
    for field, arguments in faults:
        error = await agent.refused("store_dual_judge_scores", **arguments)
        assert (error["error"], error["code"]) == ("Parameter validation failed", "INVALID_ARGUMENT"), arguments
        assert field in str(error["details"]), arguments
    assert (await agent.refused("get_golden_test_results", days=7))["code"] == "INVALID_ARGUMENT"
    assert panel.heard == []
    assert await cypher("MATCH (n:Evaluation|Judgement|DriftDay {namespace: $namespace}) RETURN n") == []
    assert (await agent.ask("store_dual_judge_scores", **GOOD))["evaluated_documents"] == 1, "what is good is good"


@pytest.mark.parametrize("query", ["x" * 10_000, "'; MATCH (n) DETACH DELETE n //", "\0", " ", "🧠", "{{query}}"])
async def test_any_text_is_only_text(
    agent: Agent, panel: ScriptedPanel, insights: None, cypher: Cypher, query: str
) -> None:
    await cypher("CREATE (:GroundTruth {namespace: $namespace, id: 42, query: 'Who?', name: 'Who?'})")
    panel.first[query] = panel.second[query] = 0.6
    document = {"id": -7, "content": query}
    answer = await agent.ask("store_dual_judge_scores", query_id=42, query=query, docs=[document])
    assert math.isclose(answer["judge1_score"], 0.6)
    [row] = await cypher(
        "MATCH (j:Judgement {namespace: $namespace})-[:IN]->(e) RETURN j.document_id AS id, e.query AS query"
    )
    assert row == {"id": -7, "query": query}


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (InvalidArgument("."), "Parameter validation failed"),
        (NotFound("."), "Parameter validation failed"),
        (ApiKeyMissing("."), "API key not configured"),
        (GoldenSetEmpty("."), "Golden Test execution failed"),
        (GraphUnavailable("."), "Database operation failed"),
        (QueryTimeout("."), "Database operation failed"),
        (Conflict("."), "Database operation failed"),
        (JudgeUnavailable("."), "Tool execution failed"),
        (SetupError("."), "Tool execution failed"),
        (PermissionDenied("."), "Tool execution failed"),
        (InternalError("."), "Tool execution failed"),
    ],
)
def test_every_error_has_one_of_the_pages_kinds(error: PrecedentError, kind: str) -> None:
    told = envelope(error, "store_dual_judge_scores")
    assert told == {"error": kind, "details": ".", "tool": "store_dual_judge_scores", "code": error.code}
