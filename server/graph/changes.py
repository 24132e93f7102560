"""Who is at work: what each write leaves in the audit trail.

A statement that changes what people and agents know declares `$change`, and ends by tying a `:Change` to its
principal and to what it changed. The values come from here, so no use case passes them on. Source: issue 6, "Access";
docs/decisions/0012.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from server.graph.statements import Statement

OURSELVES = "precedent"
"""The principal of what the service does of its own accord."""


@dataclass(frozen=True, slots=True)
class _Doing:
    by: str
    what: str
    request: str | None


_doing: ContextVar[_Doing | None] = ContextVar("precedent_doing", default=None)


@contextmanager
def doing(by: str, what: str, request: str | None = None) -> Iterator[None]:
    """Says who is at work in this block: the principal's name, its tool, route or command, the request's id."""
    token = _doing.set(_Doing(by, what, request))
    try:
        yield
    finally:
        _doing.reset(token)


def audited(statement: Statement, parameters: dict[str, Any]) -> dict[str, Any]:
    """The parameters with the properties of the `:Change`, where the statement leaves one."""
    if "change" not in statement.parameters:
        return parameters
    now = _doing.get() or _Doing(parameters.get("by", OURSELVES), statement.name, None)
    change = {
        "namespace": parameters.get("namespace"),
        "name": now.what,
        "by": now.by,
        "at": datetime.now(UTC),
        "request": now.request,
    }
    return {"change": change, **parameters}
