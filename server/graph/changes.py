"""The audit trail: who made a change, and with which tool, route or command.

A statement that changes knowledge declares `$change`. It ends by linking a `:Change` to its principal and to the
changed nodes. The values come from the context here, so use cases do not pass them on (docs/decisions/0012).

Source: SVC-63.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from server.core.principals import Kind
from server.graph.statements import Statement

SERVICE_PRINCIPAL = "precedent"
"""The principal of changes that the service makes by itself."""


@dataclass(frozen=True, slots=True)
class _AuditContext:
    principal: str
    name: str
    request: str | None
    kind: Kind | None
    operation: str


_current: ContextVar[_AuditContext | None] = ContextVar("precedent_audit_context", default=None)


@contextmanager
def audit_context(principal: str, name: str, request: str | None = None, *, kind: Kind | None = None) -> Iterator[None]:
    """Attribute the changes of this block to a principal; together they are one operation, which is undone as a whole.

    `name` is the tool, route or command; `request` is the id of the HTTP request; `kind` is the principal's.
    """
    token = _current.set(_AuditContext(principal, name, request, kind, uuid4().hex))
    try:
        yield
    finally:
        _current.reset(token)


def add_change(statement: Statement, parameters: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters with the `:Change`, and with the operation's id, where the statement declares them."""
    declared = statement.parameters.keys() & {"change", "operation"}
    if not declared:
        return parameters
    context = _current.get() or _AuditContext(
        parameters.get("by", SERVICE_PRINCIPAL), statement.name, None, None, uuid4().hex
    )
    change = {
        "id": uuid4().hex,
        "namespace": parameters.get("namespace"),
        "name": context.name,
        "by": context.principal,
        "kind": context.kind,
        "at": datetime.now(UTC),
        "request": context.request,
        "operation": context.operation,
    }
    values = {"change": change, "operation": context.operation}
    return {name: values[name] for name in declared} | parameters
