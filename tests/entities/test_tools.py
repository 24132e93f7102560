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
)
from server.core.principals import Role
from server.entities.tools import TOOLS
from server.interface.envelopes import cognitive as envelope
from server.interface.tools import AnyTool

_TOOLS = {tool.name: tool for tool in TOOLS}


@pytest.mark.proves("ENT-60")
def test_the_graph_tools_are_published() -> None:
    assert list(_TOOLS) == [
        "graph_add_node",
        "graph_add_edge",
        "graph_query_neighbors",
        "graph_list_entities",
        "graph_find_path",
    ]


def test_the_published_schemas_stay_small() -> None:
    listed = [(tool.name, tool.description, tool.input_schema()) for tool in TOOLS]
    assert len(json.dumps(listed)) <= 3_800
    assert len(json.dumps([tool.output_schema() for tool in TOOLS])) <= 5_120


@pytest.mark.proves("ENT-63")
@pytest.mark.parametrize(
    ("name", "role", "read_only"),
    [
        ("graph_add_node", Role.AGENT, False),
        ("graph_add_edge", Role.AGENT, False),
        ("graph_query_neighbors", Role.VIEWER, True),
        ("graph_list_entities", Role.VIEWER, True),
        ("graph_find_path", Role.VIEWER, True),
    ],
)
def test_reading_needs_a_viewer_and_writing_an_agent(name: str, role: Role, read_only: bool) -> None:
    tool = _TOOLS[name]
    assert (ROLES[tool.name], tool.read_only, tool.destructive, tool.idempotent) == (role, read_only, False, True)


@pytest.mark.proves("ENT-60")
@pytest.mark.parametrize(
    ("name", "required", "optional"),
    [
        ("graph_add_node", {"label", "name"}, {"properties", "vector_id"}),
        (
            "graph_add_edge",
            {"source_name", "target_name", "relation"},
            {"source_label", "target_label", "weight", "properties", "create_missing"},
        ),
        ("graph_query_neighbors", {"node_name"}, {"relation_type", "depth", "direction", "limit", "offset", "as_of"}),
        ("graph_list_entities", set(), {"name_contains", "label", "limit", "offset"}),
        ("graph_find_path", {"start_node", "end_node"}, {"max_depth", "relation_types", "max_paths", "as_of"}),
    ],
)
def test_the_arguments_are_those_of_the_specification_and_the_declared_options(
    name: str, required: set[str], optional: set[str]
) -> None:
    schema = _TOOLS[name].input_schema()
    assert set(schema.get("required", [])) == required
    assert set(schema["properties"]) == required | optional
    assert schema["additionalProperties"] is False


@pytest.mark.proves("ENT-2", "ENT-61")
@pytest.mark.parametrize(
    ("name", "arguments", "field"),
    [
        ("graph_add_node", {"label": "x", "name": ""}, "name"),
        ("graph_add_node", {"label": "x", "name": "x" * 1001}, "name"),
        ("graph_add_node", {"label": "x" * 1001, "name": "x"}, "label"),
        ("graph_add_node", {"name": "x"}, "label"),
        ("graph_add_node", {"label": "x", "name": 3}, "name"),
        ("graph_add_node", {"label": "x", "name": "\ud800"}, "name"),
        ("graph_add_node", {"label": "x", "name": "x", "properties": "{}"}, "properties"),
        ("graph_add_node", {"label": "x", "name": "x", "properties": None}, "properties"),
        ("graph_add_node", {"label": "x", "name": "x", "vector_id": 0}, "vector_id"),
        ("graph_add_node", {"label": "x", "name": "x", "vector_id": 2**63}, "vector_id"),
        ("graph_add_node", {"label": "x", "name": "x", "vector_id": True}, "vector_id"),
        ("graph_add_node", {"label": "x", "name": "x", "namespace": "other"}, "namespace"),
        ("graph_add_edge", {"source_name": "a", "target_name": "b", "relation": "R", "weight": 1.1}, "weight"),
        ("graph_add_edge", {"source_name": "a", "target_name": "b", "relation": "R", "weight": -0.1}, "weight"),
        ("graph_add_edge", {"source_name": "a", "target_name": "b", "relation": "R", "weight": float("nan")}, "weight"),
        ("graph_add_edge", {"source_name": "a", "target_name": "b", "relation": "x" * 1001}, "relation"),
        ("graph_query_neighbors", {"node_name": "a", "depth": 0}, "depth"),
        ("graph_query_neighbors", {"node_name": "a", "depth": 6}, "depth"),
        ("graph_query_neighbors", {"node_name": "a", "depth": 1.5}, "depth"),
        ("graph_query_neighbors", {"node_name": "a", "limit": 1001}, "limit"),
        ("graph_query_neighbors", {"node_name": "a", "direction": "up"}, "direction"),
        ("graph_query_neighbors", {"node_name": "a", "offset": -1}, "offset"),
        ("graph_query_neighbors", {"node_name": "a", "offset": 2**70}, "offset"),
        ("graph_add_edge", {"source_name": "a", "target_name": "b", "relation": "R", "create_missing": 0}, "create"),
        ("graph_add_edge", {"source_name": "a", "target_name": "b", "relation": "R", "create_missing": None}, "create"),
        ("graph_list_entities", {"limit": 201}, "limit"),
        ("graph_list_entities", {"limit": 0}, "limit"),
        ("graph_list_entities", {"offset": -1}, "offset"),
        ("graph_list_entities", {"name_contains": ""}, "name_contains"),
        ("graph_list_entities", {"name_contains": "x" * 1001}, "name_contains"),
        ("graph_list_entities", {"name_contains": "\ud800"}, "name_contains"),
        ("graph_list_entities", {"label": None}, "label"),
        ("graph_find_path", {"start_node": "a", "end_node": "b", "max_paths": 0}, "max_paths"),
        ("graph_find_path", {"start_node": "a", "end_node": "b", "max_paths": 11}, "max_paths"),
        ("graph_find_path", {"start_node": "a", "end_node": "b", "max_depth": 11}, "max_depth"),
        ("graph_find_path", {"start_node": "a", "end_node": "b", "max_depth": 0}, "max_depth"),
        ("graph_find_path", {"start_node": "a", "end_node": "b", "relation_types": []}, "relation_types"),
    ],
)
def test_a_wrong_argument_is_refused_by_name(name: str, arguments: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidArgument) as refused:
        _TOOLS[name].request.parse(arguments)
    assert any(field in problem["field"] + problem["problem"] for problem in refused.value.details["fields"])


@pytest.mark.proves("ENT-60")
@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_the_defaults_are_those_of_the_specification(tool: AnyTool) -> None:
    defaults = {name: part["default"] for name, part in tool.input_schema()["properties"].items() if "default" in part}
    assert (
        defaults
        == {
            "graph_add_node": {},
            "graph_add_edge": {"source_label": "Entity", "target_label": "Entity", "create_missing": True},
            "graph_query_neighbors": {"depth": 1, "direction": "both", "limit": 200, "offset": 0},
            "graph_list_entities": {"limit": 50, "offset": 0},
            "graph_find_path": {"max_depth": 5, "max_paths": 1},
        }[tool.name]
    )


@pytest.mark.proves("ENT-62")
@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (InvalidArgument("message"), "Parameter validation failed"),
        (NotFound("message"), "Parameter validation failed"),
        (Conflict("message"), "Database operation failed"),
        (QueryTimeout("message"), "Database operation failed"),
        (GraphUnavailable("message"), "Database operation failed"),
        (PermissionDenied("message"), "Tool execution failed"),
        (InternalError("message"), "Tool execution failed"),
    ],
)
def test_an_error_has_the_form_of_the_specification_and_its_code(error: PrecedentError, kind: str) -> None:
    assert envelope(error, "graph_add_node") == {
        "error": kind,
        "details": "message",
        "tool": "graph_add_node",
        "code": error.code,
    }


@pytest.mark.proves("ENT-62")
def test_the_details_of_an_error_are_its_data() -> None:
    error = envelope(NotFound("message", {"near_names": ["a"]}), "graph_find_path")
    assert error["data"] == {"near_names": ["a"]}
