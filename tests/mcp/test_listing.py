"""What agents read before they do anything: small, and enough to call a tool rightly."""

from typing import Any

import jsonschema
import pytest
from pydantic import SecretStr

from server.core.errors import (
    Conflict,
    GraphUnavailable,
    InvalidArgument,
    NotFound,
    PermissionDenied,
    PrecedentError,
    RateLimitExceeded,
)
from server.core.settings import Settings, Toolset
from server.interface.tools import AnyTool
from server.mcp.listing import listed
from server.mcp.toolsets import CORE, TOOLSETS, published, published_families

_TOOLS = [tool for family in TOOLSETS.values() for tool in family]
_MOST_BYTES = 40_000
_MOST_CORE_BYTES = 10_000
_MOST_CORE_TOOLS = 12
_SAID = frozenset({"type", "enum", "minimum", "exclusiveMinimum", "default", "required", "format", "description"})


def _settings(*toolsets: Toolset, **more: Any) -> Settings:
    return Settings(
        PRECEDENT_TOOLSETS=toolsets, TAVILY_API_KEY=None, OPENAI_API_KEY=None, ANTHROPIC_API_KEY=None
    ).model_copy(update=more)


def _bytes(tools: tuple[AnyTool, ...]) -> int:
    return sum(len(listed(tool).model_dump_json(by_alias=True, exclude_none=True).encode()) + 1 for tool in tools)


@pytest.mark.proves("SVC-37")
def test_all_tools_together_are_listed_in_forty_kilobytes() -> None:
    every = published(_settings(*TOOLSETS))
    assert len(every) == len(_TOOLS)
    assert _bytes(every) <= _MOST_BYTES


@pytest.mark.proves("SVC-39")
def test_the_core_is_a_dozen_tools_of_several_families_in_ten_kilobytes() -> None:
    core = published(_settings("core"))
    assert {tool.name for tool in core} == CORE, "each of them exists"
    assert len(core) <= _MOST_CORE_TOOLS
    assert _bytes(core) <= _MOST_CORE_BYTES
    assert published_families(["core"]) == {"decisions", "entities", "entries"}


@pytest.mark.proves("SVC-39")
def test_the_core_is_enough_to_decide_to_connect_and_to_remember() -> None:
    core = [tool for tool in _TOOLS if tool.name in CORE]
    assert {"search_decisions", "record_decision", "supersede_decision"} <= CORE
    assert {"overview", "get_decisions"} <= CORE
    assert {"graph_query_neighbors", "graph_find_path", "graph_add_edge"} <= CORE
    assert {"search", "get_entries", "save_memory"} <= CORE
    named = {other.name for tool in core for other in _TOOLS if other.name in tool.description.split()}
    assert named <= CORE | {"graph_add_node", "timeline", "ingest_docs"}, "it does not send its readers elsewhere"


@pytest.mark.proves("SVC-38")
def test_a_family_next_to_the_core_is_published_completely_and_without_duplicates() -> None:
    both = [tool.name for tool in published(_settings("core", "decisions"))]
    assert len(both) == len(set(both))
    assert set(both) == CORE | {tool.name for tool in TOOLSETS["decisions"]}


@pytest.mark.proves("SVC-41")
def test_a_tool_that_lacks_its_key_says_so() -> None:
    def describe(name: str, **more: Any) -> str:
        tools = published(_settings(*TOOLSETS, **more))
        return next(tool.description for tool in tools if tool.name == name)

    key = SecretStr("a key")
    assert describe("tavily_web_search").endswith("Not usable here: TAVILY_API_KEY not set.")
    assert "not set" not in describe("tavily_web_search", tavily_api_key=key)
    judging = "store_dual_judge_scores"
    assert describe(judging).endswith("Not usable here: OPENAI_API_KEY and ANTHROPIC_API_KEY not set.")
    assert describe(judging, openai_api_key=key).endswith("Not usable here: ANTHROPIC_API_KEY not set.")
    assert "not set" not in describe(judging, openai_api_key=key, anthropic_api_key=key)


def _parts(schema: dict[str, Any], path: str = "") -> dict[str, dict[str, Any]]:
    """Every field of a schema, by its path."""
    found = {path: schema}
    for name, field in schema.get("properties", {}).items():
        found |= _parts(field, f"{path}/{name}")
    if "items" in schema:
        found |= _parts(schema["items"], f"{path}[]")
    return found


def _is_nothing(default: object) -> bool:
    """Whether a default is what leaving an argument out means anyway: nothing, or no."""
    return default is False or default in ("", [], {})


@pytest.mark.proves("SVC-37")
@pytest.mark.parametrize("tool", _TOOLS, ids=lambda tool: tool.name)
def test_a_listed_tool_has_the_same_arguments_and_every_limit_within_reach(tool: AnyTool) -> None:
    whole, told = _parts(tool.input_schema()), _parts(listed(tool).input_schema)
    assert told.keys() == whole.keys()
    for path, part in whole.items():
        for key, said in part.items():
            if (
                key in _SAID
                and not (key == "default" and _is_nothing(said))
                and not (key == "minimum" and said < -1_000_000)
            ):
                assert told[path][key] == said, f"{path}: {key}"
            if key == "maximum" and said < 1_000_000:
                assert told[path][key] == said, f"{path}: {key}"
    assert "title" not in str(list(told[""]))
    assert "$defs" not in str(told)


@pytest.mark.proves("SVC-35")
@pytest.mark.parametrize("tool", _TOOLS, ids=lambda tool: tool.name)
def test_an_output_schema_is_listed_on_demand_and_holds_for_errors_too(tool: AnyTool) -> None:
    assert listed(tool).output_schema is None
    schema = listed(tool, output_schemas=True).output_schema
    assert schema is not None
    assert schema["type"] == "object"
    assert schema["properties"].keys() >= set(tool.output_schema().get("properties", {}))
    errors: list[PrecedentError] = [
        InvalidArgument("m", {"fields": []}),
        NotFound("m"),
        Conflict("m", {"active_decision_id": "d"}),
        PermissionDenied("m", {"required_role": "admin"}),
        RateLimitExceeded("m", {"retry_after_seconds": 1.5}),
        GraphUnavailable("m"),
    ]
    for error in errors:
        # The client of the TypeScript SDK compares errors with the schema as well, and would show its own instead.
        jsonschema.validate(tool.envelope(error, tool.name), schema)


@pytest.mark.proves("SVC-36")
@pytest.mark.parametrize("tool", _TOOLS, ids=lambda tool: tool.name)
def test_hints_follow_the_declaration_of_the_tool(tool: AnyTool) -> None:
    hints = listed(tool).annotations
    assert hints is not None
    assert bool(hints.read_only_hint) is tool.read_only
    assert hints.open_world_hint is tool.open_world
    if not tool.read_only:
        assert hints.destructive_hint is tool.destructive, "what says nothing is taken to destroy"
        assert bool(hints.idempotent_hint) is tool.idempotent
