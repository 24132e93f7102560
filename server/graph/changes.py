"""The audit trail: who made a change, and with which tool, route or command.

A statement that changes knowledge declares `$change`. It ends by linking a `:Change` to its principal and to the
changed nodes. The values come from the context here, so use cases do not pass them on (docs/decisions/0012). The first
change of a call with an idempotency key carries that key (docs/decisions/0027).

Source: SVC-63, SVC-79.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from server.core.errors import GraphUnavailable, OutcomeUnknown, QueryTimeout
from server.core.principals import Kind
from server.graph.statements import Statement

SERVICE_PRINCIPAL = "precedent"
"""The principal of changes that the service makes by itself."""
_MOST_NAMED = 20
"""Changes that an error names."""


@dataclass(slots=True)
class _AuditContext:
    principal: str
    name: str
    request: str | None
    kind: Kind | None
    operation: str
    stored: list[str] = field(default_factory=list)
    """Ids of the changes of this operation that are committed."""
    began: float = field(default_factory=time.monotonic)


@dataclass(slots=True)
class KeyedCall:
    """A call with an idempotency key. Its first change carries the key, so both are stored or neither is.

    `name` is the tool or route, `digest` that of its arguments. `change` is the id of the change that carries the key;
    `stored` says whether that change is committed.
    """

    namespace: str
    by: str
    name: str
    key: str
    digest: str
    change: str | None = None
    stored: bool = False

    def claim(self, change: str) -> bool:
        """Make this change the one that carries the key; return False if another one does."""
        if self.change is not None:
            return False
        self.change = change
        return True

    def release(self) -> None:
        """Let the next change carry the key: the transaction of the former one was rolled back."""
        self.change = None


_current: ContextVar[_AuditContext | None] = ContextVar("precedent_audit_context", default=None)
_keyed: ContextVar[KeyedCall | None] = ContextVar("precedent_keyed_call", default=None)


@contextmanager
def audit_context(principal: str, name: str, request: str | None = None, *, kind: Kind | None = None) -> Iterator[None]:
    """Attribute the changes of this block to a principal; together they are one operation, which is undone as a whole.

    `name` is the tool, route or command; `request` is the id of the HTTP request; `kind` is the principal's. Raises
    `OutcomeUnknown` where the graph went away between two transactions of the operation.
    """
    context = _AuditContext(principal, name, request, kind, uuid4().hex)
    token = _current.set(context)
    try:
        yield
    except (GraphUnavailable, QueryTimeout) as error:
        if not context.stored:
            raise
        # Such an error states that nothing was stored, which is true of its transaction and not of the operation.
        raise OutcomeUnknown(
            "The graph became unavailable after changes of this call were stored; it is not known whether all were. "
            "Before you repeat it, check what was stored, or send it with an idempotency key.",
            {"changes": context.stored[-_MOST_NAMED:]},
        ) from error
    finally:
        _current.reset(token)


def measure_elapsed_time() -> float:
    """Return how many seconds ago the operation of the current audit context began; 0 outside of one."""
    context = _current.get()
    return 0.0 if context is None else time.monotonic() - context.began


@contextmanager
def carry_key(call: KeyedCall) -> Iterator[None]:
    """Store the key of this call with the first change of this block."""
    token = _keyed.set(call)
    try:
        yield
    finally:
        _keyed.reset(token)


class ChangeWriter:
    """Adds the audit trail to the statements of one transaction, and the idempotency key to the first of its changes.

    The caller reports the outcome: `restart` after a failure, `commit` after the commit. `namespace` and `ids` are
    those of the changes so far: where they are stored, the transaction is. `has_updates` says whether any statement
    wrote; a statement whose condition does not hold leaves no change.
    """

    __slots__ = ("_call", "_carries", "has_updates", "ids", "namespace")

    def __init__(self) -> None:
        self._call = _keyed.get()
        self._carries = False
        self.namespace: str | None = None
        self.ids: list[str] = []
        self.has_updates = False

    def restart(self) -> None:
        """Give the key back, because the transaction was rolled back."""
        if self._carries and self._call is not None:
            self._call.release()
        self._carries = False

    def commit(self) -> None:
        """Record that the changes are stored, and the key, if this transaction carried it."""
        if self.has_updates and (context := _current.get()) is not None:
            context.stored += self.ids
        if self._carries and self._call is not None:
            self._call.stored = True

    def add_change(self, statement: Statement, parameters: dict[str, Any]) -> dict[str, Any]:
        """Return the parameters with the `:Change`, and with the operation's id, where the statement declares them."""
        declared = statement.parameters.keys() & {"change", "operation"}
        if not declared:
            return parameters
        context = _current.get() or _AuditContext(
            parameters.get("by", SERVICE_PRINCIPAL), statement.name, None, None, uuid4().hex
        )
        id_ = uuid4().hex
        change = {
            "id": id_,
            "namespace": parameters.get("namespace"),
            "name": context.name,
            "by": context.principal,
            "kind": context.kind,
            "at": datetime.now(UTC),
            "request": context.request,
            "operation": context.operation,
        }
        if "change" in declared:
            self.namespace = parameters.get("namespace")
            self.ids.append(id_)
        if "change" in declared and self._call is not None and self._call.claim(id_):
            self._carries = True
            change |= {"idempotency_key": self._call.key, "arguments": self._call.digest}
        values = {"change": change, "operation": context.operation}
        return {name: values[name] for name in declared} | parameters
