"""The caller of a request, as a parameter of a route."""

from typing import Annotated

from fastapi import Depends, Request

from server.access.gate import caller_of
from server.core.principals import Principal


# Async, because FastAPI runs any other dependency in a thread.
async def _caller(request: Request) -> Principal:
    return caller_of(request.scope)


Caller = Annotated[Principal, Depends(_caller)]
