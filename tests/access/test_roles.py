"""One table says who may do what, and nothing is missing in it."""

import pytest

from docs.http import application
from server.access import roles
from server.errors import PermissionDenied
from server.mcp.toolsets import RESOURCES, TOOLSETS
from server.principals import Principal, Role

_TOOLS = {tool.name: tool for family in TOOLSETS.values() for tool in family}


def _caller(role: Role) -> Principal:
    return Principal("ada", "human", role, "n")


@pytest.mark.proves("access:roles")
def test_every_tool_resource_and_endpoint_has_a_row_and_every_row_is_one_of_them() -> None:
    assert set(roles.TOOLS) == set(_TOOLS)
    assert set(roles.RESOURCES) == {resource.uri for family in RESOURCES.values() for resource in family}
    paths = application().openapi()["paths"]
    described = {f"{method.upper()} {path}" for path, methods in paths.items() for method in methods}
    assert set(roles.ENDPOINTS) == described | {"POST /mcp", "GET /docs", "GET /openapi.json"}


def test_who_may_only_read_writes_with_no_tool() -> None:
    # To search the web is no writing: it logs for a named agent alone, and asks for the role then.
    reading = {name for name, tool in _TOOLS.items() if tool.read_only} | {"tavily_web_search"}
    assert {name for name, role in roles.TOOLS.items() if role is Role.VIEWER} == reading


@pytest.mark.parametrize("what", ["a_tool_of_tomorrow", "memory://tomorrow", "GET /tomorrow", "GET", ""])
def test_what_has_no_row_needs_an_admin(what: str) -> None:
    roles.require(what, _caller(Role.ADMIN))
    for role in (Role.VIEWER, Role.AGENT):
        with pytest.raises(PermissionDenied):
            roles.require(what, _caller(role))


def test_a_refusal_says_which_role_is_needed_and_how_to_get_it() -> None:
    with pytest.raises(PermissionDenied, match=r"^Permission denied: this needs the role admin") as refused:
        roles.require("accept_proposal", _caller(Role.AGENT))
    assert refused.value.details == {"required_role": "admin", "role": "agent"}
    with pytest.raises(PermissionDenied, match="AGENT_MEMORY_SECRET"):
        roles.require("record_decision", _caller(Role.AGENT).without_secret())
