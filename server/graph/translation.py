"""The translation of the driver's errors to Precedent's errors.

Source: SVC-51, SVC-52, SVC-53.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import anyio
from neo4j import exceptions as driver

from server.core.errors import (
    ConcurrentWrite,
    GraphUnavailable,
    InternalError,
    InvalidArgument,
    PrecedentError,
    QueryTimeout,
    SetupError,
)

CONSTRAINTS: Mapping[str, PrecedentError] = {
    "decision_in_force": ConcurrentWrite("CONFLICT: another decision is already in force for this target."),
    "decision_id": ConcurrentWrite("CONFLICT: a decision with this id already exists."),
    "entity_name": ConcurrentWrite("CONFLICT: another caller created this entity at the same moment; call again."),
}
"""The name of a constraint to the error for its violation."""

_AWAY = "The graph is not available; nothing was stored. Retry in a few seconds."
_BUSY = "Other callers write the same records at this moment; nothing was stored. Retry in a few seconds."
_SILENT = "The graph does not answer. Retry in a few seconds."
_UNREACHABLE = (
    driver.ServiceUnavailable,
    driver.SessionExpired,
    driver.ConnectionPoolError,
    driver.TransientError,
    driver.ResultFailedError,
)
_LIMITS = (
    "TransactionTimedOut",
    "TransactionTimedOutClientConfiguration",
    "MemoryPoolOutOfMemoryError",
    "LockClientStopped",  # it waited for another writer too long
)


@contextmanager
def translate_errors(limit: float | None = None) -> Iterator[None]:
    """Translate the errors of the driver in this block; the cause stays for the log.

    After `limit` seconds the graph counts as unavailable: the driver alone would wait for a Neo4j that hangs with open
    connections.
    """
    try:
        with anyio.move_on_after(limit) as scope:
            yield
    except driver.GqlError as error:
        raise translate(error) from error
    if scope.cancelled_caught:
        raise GraphUnavailable(_SILENT)


def translate(error: driver.GqlError) -> PrecedentError:
    """Return the error for the caller."""
    code = getattr(error, "code", None) or ""
    if any(code.endswith(name) for name in _LIMITS):
        return QueryTimeout(
            "The graph stopped this at its limit of time or memory; nothing was changed. Repeat a write; for a read, "
            "ask for less: a smaller depth, fewer results, a relation filter."
        )
    match error:
        case driver.ConstraintError():
            return _translate_violation(str(error))
        case driver.AuthError():
            return SetupError("Neo4j rejects the credentials; check NEO4J_USERNAME and NEO4J_PASSWORD.")
        case _ if isinstance(error, _UNREACHABLE):
            return GraphUnavailable(_BUSY if code.endswith("DeadlockDetected") else _AWAY)
        case driver.ConfigurationError():
            return SetupError("The address of Neo4j is not valid; check NEO4J_URI.")
        case driver.DriverError() if "closed" in str(error).lower():
            return GraphUnavailable("The service is shutting down; retry in a few seconds.")
        case driver.ClientError() if code.endswith("Statement.EntityNotFound"):
            return ConcurrentWrite("CONFLICT: another caller deleted a record of this request meanwhile; call again.")
        case driver.Neo4jError() if ".Schema." in code:
            return ConcurrentWrite("CONFLICT: another process changes the schema at the same moment; start again.")
        case driver.ClientError() if code.endswith("Statement.ArgumentError") and "too large to index" in str(error):
            return InvalidArgument("A name, target or id is too long for an index; use at most 1,000 characters.")
        case _:
            return InternalError("Internal error of the graph; the service's log has the details.")


def _translate_violation(text: str) -> PrecedentError:
    for name, error in CONSTRAINTS.items():
        if f"`{name}`" in text or name in text:
            return type(error)(error.message, error.details)
    return ConcurrentWrite("CONFLICT: another caller wrote the same record at the same moment; call again.")
