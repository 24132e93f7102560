"""One table says who may do what, and nothing is missing in it."""

import pytest

from server.access import roles
from server.core.errors import PermissionDenied
from server.core.principals import Principal, Role
from server.mcp.toolsets import RESOURCES, TOOLSETS
from server.rest.app import build_api

_TOOLS = {tool.name: tool for family in TOOLSETS.values() for tool in family}


def _caller(role: Role) -> Principal:
    return Principal("ada", "human", role, "n")


@pytest.mark.proves("SVC-17")
def test_every_tool_resource_and_endpoint_has_a_row_and_every_row_is_one_of_them() -> None:
    assert set(roles.TOOLS) == set(_TOOLS)
    assert set(roles.RESOURCES) == {resource.uri for family in RESOURCES.values() for resource in family}
    paths = build_api().openapi()["paths"]
    described = {f"{method.upper()} {path}" for path, methods in paths.items() for method in methods}
    assert set(roles.ENDPOINTS) == described | {"POST /mcp", "GET /docs", "GET /openapi.json"}


@pytest.mark.proves("SVC-17")
def test_who_may_only_read_writes_with_no_tool() -> None:
    # To search the web is no writing: it logs for a named agent alone, and asks for the role then.
    reading = {name for name, tool in _TOOLS.items() if tool.read_only} | {"tavily_web_search"}
    assert {name for name, role in roles.TOOLS.items() if role is Role.VIEWER} == reading


@pytest.mark.proves("SVC-18")
@pytest.mark.parametrize("what", ["a_tool_of_tomorrow", "memory://tomorrow", "GET /tomorrow", "GET", ""])
def test_an_unknown_operation_requires_admin(what: str) -> None:
    for get_role in (roles.get_tool_role, roles.get_resource_role, roles.get_endpoint_role):
        assert get_role(what) is Role.ADMIN


@pytest.mark.proves("SVC-18")
def test_a_denial_names_the_required_role_and_how_to_get_it() -> None:
    with pytest.raises(PermissionDenied, match=r"^Permission denied: this needs the role admin") as refused:
        _caller(Role.AGENT).require(roles.get_tool_role("accept_proposal"))
    assert refused.value.details == {"required_role": "admin", "role": "agent"}
    with pytest.raises(PermissionDenied, match="AGENT_MEMORY_SECRET"):
        _caller(Role.AGENT).without_secret().require(roles.get_tool_role("record_decision"))
