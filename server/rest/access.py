"""The first steps of every endpoint: check the role and the query string, wait for a turn, set the audit context.

The table of roles is `server/access/roles.py`.

Source: SVC-55, SVC-87.
"""

from collections.abc import AsyncIterator

from fastapi import Request

from server.access import roles
from server.access.capacity import RequestTurn
from server.access.gate import caller_of
from server.access.requests import TURN, request_of, route_of
from server.core.errors import InvalidArgument
from server.graph.changes import audit_context

_LONGEST_NAME = 100
"""Characters of a caller's own name that a message repeats."""


async def admit(request: Request) -> AsyncIterator[None]:
    """Check a request before its endpoint; a dependency of the application, which has read the body by then.

    Raises `PermissionDenied`, `InvalidArgument`, `Overloaded`.
    """
    caller, route = caller_of(request.scope), route_of(request.scope)
    role = roles.get_endpoint_role(route)
    if role is not None:
        caller.require(role)
    _require_known(request, route)
    turn: RequestTurn | None = request.scope.get(TURN)
    if turn is not None:
        await turn.begin()
    with audit_context(caller.name, route, request_of(request.scope), kind=caller.kind):
        yield


def _require_known(request: Request, route: str) -> None:
    """Raise `InvalidArgument` for a parameter that the route does not have: ignored, it would look like success."""
    asked = request.query_params
    if not asked:
        return
    method, _, path = route.partition(" ")
    operation = request.app.openapi()["paths"].get(path, {}).get(method.lower(), {})
    known = {each["name"]: each["schema"] for each in operation.get("parameters", ()) if each["in"] == "query"}
    for name in asked:
        if name not in known:
            hint = f"use {', '.join(known)}" if known else "this route has no query parameters"
            raise InvalidArgument(f"Invalid request. {name[:_LONGEST_NAME]}: unknown parameter; {hint}.")
        if len(asked.getlist(name)) > 1 and known[name].get("type") != "array":
            raise InvalidArgument(f"Invalid request. {name}: is given more than once; give it once.")
