"""What every endpoint does first: check the caller's role for it, and say who is at work.

Source: issue 6, "Access": the table of roles is `server/access/roles.py`.
"""

from collections.abc import AsyncIterator

from fastapi import Request

from server.access import roles
from server.access.gate import caller_of
from server.access.requests import request_of, route_of
from server.graph.changes import doing


async def admitted(request: Request) -> AsyncIterator[None]:
    """A dependency of the whole application; raises `PermissionDenied`."""
    caller, route = caller_of(request.scope), route_of(request.scope)
    roles.require(route, caller)
    with doing(caller.name, route, request_of(request.scope)):
        yield
