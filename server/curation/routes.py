"""Corrections over REST, with the requests, answers and errors of the tools. Source: CUR-18."""

from typing import Annotated, Any

from fastapi import APIRouter, Body, Depends

from server.access.caller import Caller
from server.access.idempotency import KeyedRoute
from server.curation.models import Erase, Erased, Retract, Retracted, Undo, Undone
from server.curation.service import CurationService
from server.interface.state import StateKey

_ERRORS: dict[int | str, dict[str, Any]] = {
    403: {"description": "A human wrote it, and the caller is no admin."},
    404: {"description": "An id means nothing that is stored."},
    409: {"description": "Something that is in force or came later depends on it; the message names it."},
}
_ID = "decision_20261121_101500_123456_0a1b2c3d"
SERVICE = StateKey[CurationService]("curation")
Service = Annotated[CurationService, Depends(SERVICE.load)]


def build_routes() -> APIRouter:
    """Build the routes of the family; the application stores the service behind them under `SERVICE`."""
    router = APIRouter(route_class=KeyedRoute, tags=["curation"])

    @router.post("/retract", operation_id="retract", responses=_ERRORS)
    async def retract(
        request: Annotated[Retract, Body(examples=[{"ids": [_ID], "reason": "Nobody decided that."}])],
        service: Service,
        caller: Caller,
    ) -> Retracted:
        """Take back what was wrong: gone from every current answer, kept as history."""
        return await service.retract(request, caller)

    @router.post("/undo", operation_id="undo", responses=_ERRORS)
    async def undo(
        request: Annotated[Undo, Body(examples=[{"change_id": "6f1c9f0e4b7d4a0d9e0c5b3a2f1e0d9c"}])],
        service: Service,
        caller: Caller,
    ) -> Undone:
        """Take a change back as a new change, where nothing later depends on it."""
        return await service.undo(request, caller)

    @router.post("/erase", operation_id="erase", responses=_ERRORS)
    async def erase(
        request: Annotated[Erase, Body(examples=[{"ids": [_ID], "reason": "It held a password."}])],
        service: Service,
        caller: Caller,
    ) -> Erased:
        """Delete for good, with every copy of the text; only that it happened remains."""
        return await service.erase(request, caller)

    return router
