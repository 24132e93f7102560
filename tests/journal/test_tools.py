import json
from typing import Any

import pytest

from server.access.roles import TOOLS as ROLES
from server.core.errors import (
    Conflict,
    GraphUnavailable,
    InternalError,
    InvalidArgument,
    NotFound,
    PermissionDenied,
    PrecedentError,
    QueryTimeout,
    SetupError,
    WebSearchUnavailable,
)
from server.core.principals import Role
from server.journal.tools import TOOLS, envelope
from tests.agents import error, texts
from tests.conftest import Cypher
from tests.journal.conftest import Agent
from tests.journal.test_bad_input import BY_NAME, GOOD

pytestmark = pytest.mark.anyio

# The documented arguments (JRN-2): all, required, nullable, and our additions.
SPECIFIED: dict[str, tuple[str, str, str, str]] = {
    "store_conversation_message": (
        "agent_id user_id sender message_content message_type tool_info context_snapshot_id source_attribution_id",
        "agent_id sender message_content",
        "user_id tool_info context_snapshot_id source_attribution_id",
        "conversation_id",
    ),
    "get_conversation_history": ("agent_id conversation_id limit offset", "agent_id", "conversation_id", "order"),
    "get_agents": ("", "", "", "limit offset"),
    "get_conversations": ("", "", "", "agent_id limit offset"),
    "search_conversations": ("", "", "", "agent_id query limit offset"),
    "store_context": (
        "agent_id context_type context_data parent_context_id",
        "agent_id context_type context_data",
        "parent_context_id",
        "",
    ),
    "get_context": ("agent_id context_type version", "agent_id context_type", "version", ""),
    "get_all_contexts": ("agent_id", "agent_id", "", "limit offset"),
    "add_reference_key": (
        "agent_id key_type key_value description associated_conversation_id",
        "agent_id key_type key_value",
        "description associated_conversation_id",
        "",
    ),
    "get_reference_keys": ("agent_id key_type limit offset", "agent_id", "key_type", ""),
    "log_source_attribution": (
        "agent_id source_type source_uri retrieval_timestamp content_summary full_content_hash",
        "agent_id source_type retrieval_timestamp",
        "source_uri content_summary full_content_hash",
        "",
    ),
    "get_source_attributions": ("agent_id source_type limit offset", "agent_id", "source_type", ""),
    "log_correction": (
        "agent_id correction_type original_entry_id original_value corrected_value reason applied_automatically",
        "agent_id correction_type applied_automatically",
        "original_entry_id original_value corrected_value reason",
        "",
    ),
    "get_correction_logs": ("agent_id correction_type limit offset", "agent_id", "correction_type", ""),
    "log_success_metric": (
        "agent_id metric_name metric_value unit associated_task_id metadata",
        "agent_id metric_name metric_value",
        "unit associated_task_id metadata",
        "",
    ),
    "get_success_metrics": ("agent_id metric_name limit offset", "agent_id", "metric_name", ""),
    "tavily_web_search": (
        "query search_depth topic days time_range max_results include_images include_image_descriptions "
        "include_raw_content include_domains exclude_domains",
        "query",
        "",
        "agent_id",
    ),
}


@pytest.mark.proves("JRN-1")
def test_all_seventeen_tools_are_published() -> None:
    assert set(BY_NAME) == set(SPECIFIED)
    assert len(BY_NAME) == 17


@pytest.mark.proves("JRN-2", "JRN-4")
@pytest.mark.parametrize("name", SPECIFIED)
def test_a_tool_takes_the_specified_arguments(name: str) -> None:
    schema = BY_NAME[name].input_schema()
    arguments, required, nullable, added = (part.split() for part in SPECIFIED[name])
    own = [field for field in schema["properties"] if field not in added]
    assert sorted(own) == sorted(arguments)
    assert set(schema["properties"]) == {*arguments, *added}
    ours = {"search_conversations": {"agent_id", "query"}, "get_conversations": {"agent_id"}}
    assert set(schema.get("required", ())) == {*required, *ours.get(name, ())}
    null = {field for field, part in schema["properties"].items() if "null" in part.get("type", ())}
    assert null - set(added) == set(nullable)
    assert schema.get("additionalProperties") is (None if name.startswith("get_") else False)


@pytest.mark.proves("JRN-3", "JRN-54")
def test_the_defaults_and_bounds_are_the_specified_ones() -> None:
    for name, tool in BY_NAME.items():
        fields = tool.input_schema()["properties"]
        if name.startswith("get_") and name not in {"get_context", "get_all_contexts"}:
            assert fields["limit"] == {"type": "integer", "minimum": 1, "maximum": 1000, "default": 100}
            assert (fields["offset"]["minimum"], fields["offset"]["default"]) == (0, 0)
    assert BY_NAME["get_all_contexts"].input_schema()["properties"]["limit"]["default"] == 1_000
    assert BY_NAME["get_conversation_history"].input_schema()["properties"]["order"]["default"] == "oldest"
    search = BY_NAME["search_conversations"].input_schema()["properties"]
    assert search["limit"] == {"type": "integer", "minimum": 1, "maximum": 100, "default": 10}
    web = BY_NAME["tavily_web_search"].input_schema()["properties"]
    assert web["max_results"] == {"type": "integer", "minimum": 5, "maximum": 20, "default": 10}
    assert (web["search_depth"]["enum"], web["search_depth"]["default"]) == (["basic", "advanced"], "basic")
    assert (web["topic"]["enum"], web["topic"]["default"]) == (["general", "news"], "general")
    assert web["time_range"]["enum"] == ["day", "week", "month", "year", "d", "w", "m", "y"]
    assert (web["days"]["minimum"], web["days"]["maximum"], web["days"]["default"]) == (1, 3_650, 3)
    assert (web["query"]["minLength"], web["query"]["maxLength"]) == (1, 1_000)
    assert BY_NAME["store_conversation_message"].input_schema()["properties"]["message_type"]["default"] == "text"


@pytest.mark.proves("JRN-13", "JRN-14", "JRN-28", "JRN-38")
def test_texts_have_the_documented_limits() -> None:
    limits = {
        "agent_id": 500,
        "conversation_id": 1_000,
        "context_type": 1_000,
        "unit": 1_000,
        "key_value": 10_000,
        "source_uri": 10_000,
        "description": 100_000,
        "content_summary": 100_000,
        "reason": 100_000,
        "message_content": 1_048_576,
        "tool_info": 1_048_576,
    }
    for name, tool in BY_NAME.items():
        for field, schema in tool.input_schema()["properties"].items():
            if field in limits:
                assert schema["maxLength"] == limits[field], (name, field)
    assert BY_NAME["search_conversations"].input_schema()["properties"]["query"]["maxLength"] == 10_000


def test_the_listing_of_the_family_stays_small() -> None:
    listing = [(tool.name, tool.description, tool.input_schema(), tool.output_schema()) for tool in TOOLS]
    assert len(json.dumps(listing)) <= 20_480


@pytest.mark.proves("JRN-9", "JRN-10")
@pytest.mark.parametrize("name", BY_NAME)
def test_annotations_and_roles_are_correct(name: str) -> None:
    tool = BY_NAME[name]
    reads = name.startswith(("get_", "search_"))
    assert (tool.read_only, tool.idempotent, tool.destructive) == (reads, reads, False)
    assert tool.open_world is (name == "tavily_web_search")
    assert ROLES[tool.name] is (Role.VIEWER if reads or name == "tavily_web_search" else Role.AGENT)
    assert tool.output_schema()["type"] == "object"


@pytest.mark.proves("JRN-10", "JRN-66")
@pytest.mark.parametrize("name", [name for name, tool in BY_NAME.items() if ROLES[tool.name] is Role.AGENT])
async def test_a_viewer_reads_and_does_not_write(agent: Agent, cypher: Cypher, name: str) -> None:
    async with agent.at(role=Role.VIEWER).connected() as viewer:
        refused = await viewer.refused(name, **GOOD[name])
        assert (refused["code"], refused["details"]["reason"]) == ("InvalidRequest", "PERMISSION_DENIED")
        assert await viewer.ask("get_conversation_history") == []
    assert await cypher("MATCH (n {namespace: $namespace}) RETURN n.name AS name") == []


@pytest.mark.proves("JRN-65")
async def test_an_unknown_tool_is_method_not_found(agent: Agent) -> None:
    refused = error(await agent.call("get_nothing"))
    assert refused["code"] == "MethodNotFound"


@pytest.mark.proves("JRN-64", "JRN-65")
@pytest.mark.parametrize(
    ("raised", "code"),
    [
        (InvalidArgument("No."), "InvalidParams"),
        (NotFound("No."), "InvalidParams"),
        (Conflict("No."), "InvalidParams"),
        (PermissionDenied("No."), "InvalidRequest"),
        (QueryTimeout("No."), "RequestTimeout"),
        (GraphUnavailable("No."), "InternalError"),
        (WebSearchUnavailable("No."), "InternalError"),
        (SetupError("No."), "InternalError"),
        (InternalError("No."), "InternalError"),
    ],
)
def test_every_kind_of_error_has_its_code_name(raised: PrecedentError, code: str) -> None:
    form: dict[str, Any] = envelope(raised, "store_context")
    assert form == {"error": {"code": code, "message": "No.", "details": {"reason": raised.code}}}


@pytest.mark.proves("JRN-64", "JRN-67")
async def test_the_code_name_is_in_the_content(agent: Agent) -> None:
    result = await agent.call("store_context", context_type="", context_data="x", nothing=1)
    assert result.is_error
    assert "InvalidParams" in texts(result)[0]
    for field in ("context_type", "context_data", "nothing"):
        assert field in texts(result)[0], "all faults together"
