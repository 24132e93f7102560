"""What every endpoint does first: check the caller's role for it, check what the query string says, say who is at work.

Source: issue 6, "Access": the table of roles is `server/access/roles.py`; REST, "out of range is 400".
"""

from collections.abc import AsyncIterator

from fastapi import Request

from server.access import roles
from server.access.gate import caller_of
from server.access.requests import request_of, route_of
from server.errors import InvalidArgument
from server.graph.changes import doing

_LONGEST_NAME = 100
"""A caller's own names are told back to it, within bounds."""


async def admitted(request: Request) -> AsyncIterator[None]:
    """A dependency of the whole application; raises `PermissionDenied`, `InvalidArgument`."""
    caller, route = caller_of(request.scope), route_of(request.scope)
    roles.require(route, caller)
    _require_known(request, route)
    with doing(caller.name, route, request_of(request.scope)):
        yield


def _require_known(request: Request, route: str) -> None:
    """Refuses a query string that says what the route does not read: ignored, it would look like success."""
    asked = request.query_params
    if not asked:
        return
    method, _, path = route.partition(" ")
    operation = request.app.openapi()["paths"].get(path, {}).get(method.lower(), {})
    known = {each["name"]: each["schema"] for each in operation.get("parameters", ()) if each["in"] == "query"}
    for name in asked:
        if name not in known:
            told = f"it takes {', '.join(known)}" if known else "it takes nothing in the query string"
            raise InvalidArgument(f"Invalid request. {name[:_LONGEST_NAME]}: is not known here; {told}.")
        if len(asked.getlist(name)) > 1 and known[name].get("type") != "array":
            raise InvalidArgument(f"Invalid request. {name}: is there more than once.")
