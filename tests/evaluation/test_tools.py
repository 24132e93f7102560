"""The schemas of the tools, and the arguments that they refuse. Source: EVA-1, EVA-3, EVA-4."""

import math
from typing import Any

import pytest

from server.access.roles import TOOLS as ROLES
from server.core.errors import (
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
from server.core.principals import Role
from server.evaluation.tools import TOOLS, envelope
from tests.conftest import Cypher
from tests.evaluation.conftest import Agent, ScriptedPanel

pytestmark = pytest.mark.anyio
BY_NAME = {tool.name: tool for tool in TOOLS}
GOOD: dict[str, Any] = {"query_id": 42, "query": "Who?", "docs": [{"id": 1, "content": "insight 1"}]}
# The documented arguments (EVA-3).
SPECIFIED = {
    "query_id": {"type": "integer", "minimum": 1},
    "query": {"type": "string", "minLength": 1},
    "docs": {"type": "array", "minItems": 1, "maxItems": 50},
}


@pytest.mark.proves("EVA-1", "EVA-3")
def test_the_arguments_are_the_documented_ones() -> None:
    schema = BY_NAME["store_dual_judge_scores"].input_schema()
    assert schema["required"] == list(schema["properties"]) == list(SPECIFIED)
    for name, part in SPECIFIED.items():
        assert part.items() <= schema["properties"][name].items()
    items = schema["properties"]["docs"]["items"]
    assert items["required"] == list(items["properties"]) == ["id", "content"]
    assert items["properties"]["id"]["type"] == "integer"
    assert {"type": "string", "minLength": 1}.items() <= items["properties"]["content"].items()
    nothing = BY_NAME["get_golden_test_results"].input_schema()
    assert (nothing["properties"], nothing.get("required", []), nothing["additionalProperties"]) == ({}, [], False)


@pytest.mark.proves("EVA-1")
def test_the_answers_have_the_documented_fields() -> None:
    properties = {name: tool.output_schema()["properties"] for name, tool in BY_NAME.items()}
    assert set(properties["store_dual_judge_scores"]) == {
        "query_id", "judge1_score", "judge2_score", "kappa", "agreement", "evaluated_documents", "not_evaluated",
        "status",
    }  # fmt: skip
    golden = properties["get_golden_test_results"]
    assert set(golden) == {
        "date", "precision_at_5", "baseline_precision", "drift_detected", "queries_tested", "details",
        "query_breakdown",
    }  # fmt: skip
    assert golden["baseline_precision"]["type"] == "number", "null only where the page has null"
    breakdown = golden["query_breakdown"]["properties"]
    assert {name: set(part["properties"]) for name, part in breakdown.items()} == {
        kind: {"count", "precision_at_5"} for kind in ("short", "medium", "long")
    }


@pytest.mark.proves("EVA-2")
def test_annotations_and_roles_are_correct() -> None:
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
    "query_id": (None, 0, -1, "1", 1.5, True, [], 2**53, 2**70),
    "query": (None, "", 1, ["x"], "\ud800", "x" * 10_001),
    "docs": (
        *(None, [], {}, "x", [1], [None], [[]], [{**_DOC, "id": number} for number in range(51)], [_DOC, _DOC]),
        *([{"id": 1}], [{"content": "x"}], [{**_DOC, "more": 1}], [{**_DOC, "id": None}], [{**_DOC, "id": "1"}]),
        *([{**_DOC, "id": 1.5}], [{**_DOC, "id": True}], [{**_DOC, "id": 2**53}], [{**_DOC, "content": None}]),
        *([{**_DOC, "content": ""}], [{**_DOC, "content": {}}], [{**_DOC, "content": "\ud800"}]),
        [{**_DOC, "content": "x" * 100_001}],
    ),
    "more": (1,),
}
FAULTS = [(field, value) for field, values in _BAD.items() for value in values]


@pytest.mark.proves("EVA-3", "EVA-4")
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
    assert panel.questions == []
    assert await cypher("MATCH (n:Evaluation|Judgement|DriftDay {namespace: $namespace}) RETURN n") == []
    assert (await agent.ask("store_dual_judge_scores", **GOOD))["evaluated_documents"] == 1, "what is good is good"


@pytest.mark.proves("EVA-5")
@pytest.mark.parametrize("query", ["x" * 10_000, "'; MATCH (n) DETACH DELETE n //", "\0", " ", "🧠", "{{query}}"])
async def test_texts_are_not_interpreted(
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


@pytest.mark.proves("EVA-6")
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
def test_every_error_has_a_documented_kind(error: PrecedentError, kind: str) -> None:
    form = envelope(error, "store_dual_judge_scores")
    assert form == {"error": kind, "details": ".", "tool": "store_dual_judge_scores", "code": error.code}
