"""The family's tools as agents see them, and its form of an error."""

from typing import Any

import pytest
from jsonschema import validate

from server.access.roles import TOOLS as ROLES
from server.core.errors import Conflict, RateLimitExceeded
from server.core.principals import Role
from server.decisions.models import FoundDecision
from server.decisions.tools import TOOLS, envelope
from server.interface.tools import AnyTool
from tests.decisions.conftest import Caller

pytestmark = pytest.mark.anyio

_TOOLS = {tool.name: tool for tool in TOOLS}


@pytest.mark.proves("DEC-69")
def test_the_tools_are_the_specified_ones_with_the_specified_roles() -> None:
    assert {tool.name: ROLES[tool.name] for tool in TOOLS} == {
        "record_decision": Role.AGENT,
        "supersede_decision": Role.AGENT,
        "search_decisions": Role.VIEWER,
        "get_decisions": Role.VIEWER,
        "list_decisions": Role.VIEWER,
        "overview": Role.VIEWER,
        "propose_decision": Role.AGENT,
        "list_proposals": Role.VIEWER,
        "accept_proposal": Role.ADMIN,
        "reject_proposal": Role.ADMIN,
    }


_TIES = {"about", "requires", "evidence", "alternatives", "effective_at", "valid_until"}
"""What we have beyond the specification: what ties a decision to the rest, and when it holds."""
_FILTERS = {"target", "about", "status", "since", "until", "offset", "as_of", "known_at"}


@pytest.mark.proves("DEC-69")
def test_what_a_viewer_may_call_is_read_only() -> None:
    assert {tool.name for tool in TOOLS if tool.read_only} == {
        tool.name for tool in TOOLS if ROLES[tool.name] == Role.VIEWER
    }


@pytest.mark.parametrize(
    ("name", "specified"),
    [
        (
            "record_decision",
            {
                "properties": {
                    "title": {"type": "string", "minLength": 1},
                    "target": {"type": "string", "minLength": 1},
                    "rationale": {"type": "string", "minLength": 10},
                    "consequences": {"type": "array", "default": []},
                },
                "required": ["title", "target", "rationale"],
            },
        ),
        (
            "supersede_decision",
            {
                "properties": {
                    "title": {"type": "string", "minLength": 1},
                    "target": {"type": "string", "minLength": 1},
                    "rationale": {"type": "string", "minLength": 15},
                    "old_decision_ids": {"type": "array", "minItems": 1},
                    "consequences": {"type": "array", "default": []},
                },
                "required": ["title", "target", "rationale", "old_decision_ids"],
            },
        ),
        (
            "search_decisions",
            {
                "properties": {
                    "query": {"type": "string", "minLength": 1},
                    "limit": {"type": "integer", "minimum": 1, "maximum": 20, "default": 5},
                    "mode": {"type": "string", "enum": ["strict", "balanced", "audit"], "default": "balanced"},
                },
                "required": ["query"],
            },
        ),
    ],
)
@pytest.mark.proves("DEC-2", "DEC-16", "DEC-26")
def test_an_input_schema_says_what_the_specification_says(name: str, specified: dict[str, Any]) -> None:
    schema = _TOOLS[name].input_schema()
    assert schema["required"] == specified["required"]
    assert schema["additionalProperties"] is False
    ours = _FILTERS if name == "search_decisions" else _TIES
    assert schema["properties"].keys() == specified["properties"].keys() | ours
    assert not ours & {*schema["required"]}
    for field, rules in specified["properties"].items():
        assert schema["properties"][field].items() >= rules.items()


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
@pytest.mark.proves("DEC-72")
def test_an_error_has_the_form_of_the_answer_and_says_what_a_program_needs(tool: AnyTool) -> None:
    error = envelope(Conflict("CONFLICT: in force already.", {"active_decision_id": "decision_1"}), tool.name)
    validate(error, tool.output_schema())
    assert error["status"] == "error"
    assert error["message"].startswith("CONFLICT")
    assert (error["code"], error["details"]) == ("CONFLICT", {"active_decision_id": "decision_1"})
    assert error.get("decision_id") is None


@pytest.mark.proves("DEC-72")
def test_a_failed_write_has_a_null_id() -> None:
    error = envelope(RateLimitExceeded("Rate limit exceeded: please wait 1.3 s."), "record_decision")
    assert error["decision_id"] is None


async def test_answers_are_what_the_output_schemas_say(agent: Caller) -> None:
    validate((await agent.recorded("database")).model_dump(mode="json"), _TOOLS["record_decision"].output_schema())
    request = _TOOLS["search_decisions"].request.parse({"query": "title"})
    answer = await agent.service.search(request, agent.principal)  # type: ignore[arg-type]
    assert answer.results
    validate(answer.model_dump(mode="json"), _TOOLS["search_decisions"].output_schema())


@pytest.mark.proves("DEC-27")
def test_a_result_has_the_specified_fields_and_ours() -> None:
    specified = {"id", "score", "status", "preview", "kind"}
    assert set(FoundDecision.model_fields) == specified | {
        "title",
        "target",
        "superseded_by",
        "origin",
        "created_at",
        "effective_at",
        "valid_until",
        "why",
    }
