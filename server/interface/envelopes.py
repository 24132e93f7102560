"""The error form of the families entities, cognition and evaluation."""

from typing import Any

from server.core.errors import Conflict, InvalidArgument, NotFound, PrecedentError, QueryTimeout, Unavailable


def cognitive(error: PrecedentError, tool: str) -> dict[str, Any]:
    """Return an error as `error`, `details` and `tool`, with its `code` and, for programs, its `data`."""
    match error:
        case InvalidArgument() | NotFound():
            kind = "Parameter validation failed"
        case Conflict() | QueryTimeout() | Unavailable():
            kind = "Database operation failed"
        case _:
            kind = "Tool execution failed"
    envelope = {"error": kind, "details": error.message, "tool": tool, "code": error.code}
    return {**envelope, "data": error.details} if error.details else envelope
