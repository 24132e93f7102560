"""The form of errors that more than one family has.

Source: cognitive.md "Error Handling": here its graph tools, its layers and its evaluation are families.
"""

from typing import Any

from server.errors import Conflict, InvalidArgument, NotFound, PrecedentError, QueryTimeout, Unavailable


def cognitive(error: PrecedentError, tool: str) -> dict[str, Any]:
    """ "Standard Error Response", with our code, and what a program can act on, beside it."""
    match error:
        case InvalidArgument() | NotFound():
            kind = "Parameter validation failed"
        case Conflict() | QueryTimeout() | Unavailable():
            kind = "Database operation failed"
        case _:
            kind = "Tool execution failed"
    told = {"error": kind, "details": error.message, "tool": tool, "code": error.code}
    return {**told, "data": error.details} if error.details else told
