"""The tools of entries as they are published. Source: MEM-61."""

import json

import pytest

from server.access.roles import TOOLS as ROLES
from server.core.errors import (
    Conflict,
    EntryNotFound,
    GraphUnavailable,
    InternalError,
    InvalidArgument,
    PermissionDenied,
    PolicyBlocked,
    PrecedentError,
    QueryTimeout,
    RateLimitExceeded,
    SchemaTooNew,
)
from server.core.principals import Role
from server.entries.tools import TOOLS, envelope

_TOOLS = {tool.name: tool for tool in TOOLS}


@pytest.mark.proves("MEM-61")
def test_the_six_tools_are_published() -> None:
    assert list(_TOOLS) == ["save_memory", "search", "timeline", "get_entries", "ingest_docs", "retention_dry_run"]


def test_the_published_schemas_stay_small() -> None:
    listed = [(tool.name, tool.description, tool.input_schema(), tool.output_schema()) for tool in TOOLS]
    assert len(json.dumps(listed)) <= 10_000


@pytest.mark.proves("MEM-61")
@pytest.mark.parametrize(
    ("name", "required", "optional"),
    [
        (
            "save_memory",
            {"text"},
            {
                "title",
                "project",
                "type",
                "source_ref",
                "metadata",
                "session_id",
                "supersedes",
                "reason",
                "valid_until",
                "allow_duplicate",
            },
        ),
        ("search", {"query"}, {"project", "type", "limit", "offset", "since", "until", "as_of"}),
        ("timeline", {"anchor_id"}, {"depth_before", "depth_after", "offset"}),
        ("get_entries", {"ids"}, {"offset"}),
        ("ingest_docs", set(), {"project", "sources", "entry_type"}),
        ("retention_dry_run", set(), {"now", "max_age_days", "max_entries_per_project", "project", "offset"}),
    ],
)
def test_the_arguments_are_those_of_the_specification_and_the_declared_options(
    name: str, required: set[str], optional: set[str]
) -> None:
    schema = _TOOLS[name].input_schema()
    assert set(schema.get("required", ())) == required
    assert set(schema["properties"]) == required | optional
    assert "additionalProperties" not in schema


@pytest.mark.proves("MEM-65")
@pytest.mark.parametrize(
    ("name", "role", "read_only"),
    [
        ("save_memory", Role.AGENT, False),
        ("search", Role.VIEWER, True),
        ("timeline", Role.VIEWER, True),
        ("get_entries", Role.VIEWER, True),
        ("ingest_docs", Role.AGENT, False),
        ("retention_dry_run", Role.AGENT, False),
    ],
)
def test_reading_needs_a_viewer_and_writing_an_agent(name: str, role: Role, read_only: bool) -> None:
    tool = _TOOLS[name]
    assert (ROLES[tool.name], tool.read_only, tool.destructive) == (role, read_only, False)


@pytest.mark.proves("MEM-62", "MEM-63")
@pytest.mark.parametrize(
    ("error", "code", "details"),
    [
        (InvalidArgument("m"), "INVALID_ARGUMENT", None),
        (EntryNotFound("m", {"anchorId": "a"}), "ENTRY_NOT_FOUND", {"anchorId": "a"}),
        (PolicyBlocked("m", {"pattern": "p"}), "POLICY_BLOCKED", {"pattern": "p"}),
        (PermissionDenied("m", {"required_role": "agent"}), "PERMISSION_DENIED", {"required_role": "agent"}),
        (RateLimitExceeded("m"), "RATE_LIMIT_EXCEEDED", None),
        (SchemaTooNew("m", {"graph": 9}), "MIGRATION_FAILURE", {"graph": 9}),
        (GraphUnavailable("m"), "STORAGE_FAILURE", {"cause": "GRAPH_UNAVAILABLE"}),
        (QueryTimeout("m"), "STORAGE_FAILURE", {"cause": "QUERY_TIMEOUT"}),
        (Conflict("m"), "STORAGE_FAILURE", {"cause": "CONFLICT"}),
        (InternalError("m"), "STORAGE_FAILURE", {"cause": "INTERNAL_ERROR"}),
    ],
)
def test_every_error_has_one_of_the_five_codes_or_says_what_the_caller_may_not(
    error: PrecedentError, code: str, details: dict[str, object] | None
) -> None:
    assert envelope(error, "search") == {"error": {"code": code, "message": "m", "details": details}}
