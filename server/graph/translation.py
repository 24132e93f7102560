"""The one place where the driver's errors become ours."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import anyio
from neo4j import exceptions as driver

from server.errors import (
    Conflict,
    GraphUnavailable,
    InternalError,
    InvalidArgument,
    PrecedentError,
    QueryTimeout,
    SetupError,
)

CONSTRAINTS: Mapping[str, PrecedentError] = {
    "decision_in_force": Conflict("CONFLICT: another decision is already in force for this target."),
    "decision_id": Conflict("CONFLICT: a decision with this id exists already."),
    "entity_name": Conflict("CONFLICT: another caller created this entity at the same moment; call again."),
}
"""Constraint name to the error that its violation means."""

_AWAY = "The graph is unavailable at the moment; nothing was lost. Retry in a few seconds."
_SILENT = "The graph does not answer at the moment; ask again soon. Before writing again, look whether it is there."
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
    "LockClientStopped",  # it waited for another writer all that time
)


@contextmanager
def translated(limit: float | None = None) -> Iterator[None]:
    """Turns whatever the driver raises inside into an error of ours, the cause kept for the log.

    After `limit` seconds without an end the graph counts as unavailable: a Neo4j that hangs holds its connections open,
    and the driver waits for it.
    """
    try:
        with anyio.move_on_after(limit) as scope:
            yield
    except driver.GqlError as error:
        raise translate(error) from error
    if scope.cancelled_caught:
        raise GraphUnavailable(_SILENT)


def translate(error: driver.GqlError) -> PrecedentError:
    """Returns what a driver's error means to a caller."""
    code = getattr(error, "code", None) or ""
    if any(code.endswith(name) for name in _LIMITS):
        return QueryTimeout(
            "The graph could not do this within its limits of time and memory: it was ended, and nothing was changed. "
            "A write may go through in a moment; else ask for less: a smaller depth, fewer results, a relation filter."
        )
    match error:
        case driver.ConstraintError():
            return _violated(str(error))
        case driver.AuthError():
            return SetupError("Neo4j refuses the credentials; check NEO4J_USERNAME and NEO4J_PASSWORD.")
        case _ if isinstance(error, _UNREACHABLE):
            return GraphUnavailable(_AWAY)
        case driver.ConfigurationError():
            return SetupError("The connection to Neo4j is configured wrongly; check NEO4J_URI.")
        case driver.DriverError() if "closed" in str(error).lower():
            return GraphUnavailable("The service is shutting down; retry in a few seconds.")
        case driver.ClientError() if code.endswith("Statement.EntityNotFound"):
            return Conflict("CONFLICT: another caller removed what this is about at the same moment; call again.")
        case driver.Neo4jError() if ".Schema." in code:
            return Conflict("CONFLICT: another process changes the schema at the same moment; start again.")
        case driver.ClientError() if code.endswith("Statement.ArgumentError") and "too large to index" in str(error):
            return InvalidArgument("A name, target or id is too long to be indexed; use at most 1,000 characters.")
        case _:
            return InternalError("The graph could not carry this out; the service's log says why.")


def _violated(text: str) -> PrecedentError:
    for name, meaning in CONSTRAINTS.items():
        if f"`{name}`" in text or name in text:
            return type(meaning)(meaning.message, meaning.details)
    return Conflict("CONFLICT: another caller wrote the same thing at the same moment; call again.")
