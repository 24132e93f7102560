"""The questions about the past over HTTP, with the requests and answers of the tools. Source: HIS-28."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query

from server.access.caller import Caller
from server.history.change_models import Changes, ListChanges
from server.history.resume_models import Resume, ResumeAnswer
from server.history.service import HistoryService
from server.interface.state import StateKey

_NOT_FOUND: dict[int | str, dict[str, Any]] = {404: {"description": "What the request names is not stored."}}
SERVICE = StateKey[HistoryService]("history")
Service = Annotated[HistoryService, Depends(SERVICE.load)]


class ChangesQuery(ListChanges, strict=False):
    """The arguments of `changes` in a query string."""


class ResumeQuery(Resume, strict=False):
    """The arguments of `resume` in a query string."""


def build_routes() -> APIRouter:
    """Build the routes of the family; the application stores the service behind them under `SERVICE`."""
    router = APIRouter(tags=["history"])

    @router.get("/changes", operation_id="listChanges", responses=_NOT_FOUND)
    async def changes(request: Annotated[ChangesQuery, Query()], service: Service, caller: Caller) -> Changes:
        """List what was changed, by whom and when, newest first; times may be words such as `yesterday` or `7d`."""
        return await service.changes(request, caller)

    @router.get("/resume", operation_id="resume", responses=_NOT_FOUND)
    async def resume(request: Annotated[ResumeQuery, Query()], service: Service, caller: Caller) -> ResumeAnswer:
        """Return where an agent or a session was, in 8 kB at most."""
        return await service.resume(request, caller)

    return router
