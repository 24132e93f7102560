"""Questions about the past over REST, with the requests, answers and errors of the tools. Source: HIS-10, HIS-19."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query

from server.access.caller import Caller
from server.history.change_models import Changes, ListChanges
from server.history.impact_models import FindImpact, Impact
from server.history.resume_models import Resume, ResumeAnswer
from server.history.service import HistoryService
from server.history.why_models import Explanation, Why
from server.interface.state import StateKey

_MISSING: dict[int | str, dict[str, Any]] = {404: {"description": "What the request names is not stored."}}
SERVICE = StateKey[HistoryService]("history")
Service = Annotated[HistoryService, Depends(SERVICE.load)]


class ChangesQuery(ListChanges, strict=False):
    """The arguments of `changes` in a query string, where every value is text."""


class ResumeQuery(Resume, strict=False):
    """The arguments of `resume` in a query string."""


class WhyQuery(Why, strict=False):
    """The arguments of `why` in a query string."""


class ImpactQuery(FindImpact, strict=False):
    """The arguments of `impact` in a query string."""


def build_routes() -> APIRouter:
    """Build the routes of the family; the application stores the service behind them under `SERVICE`."""
    router = APIRouter(tags=["history"])

    @router.get("/changes", operation_id="listChanges", responses=_MISSING)
    async def changes(request: Annotated[ChangesQuery, Query()], service: Service, caller: Caller) -> Changes:
        """List what was changed, by whom and when, newest first; times may be words such as `yesterday` or `7d`."""
        return await service.changes(request, caller)

    @router.get("/resume", operation_id="resume", responses=_MISSING)
    async def resume(request: Annotated[ResumeQuery, Query()], service: Service, caller: Caller) -> ResumeAnswer:
        """Return where an agent or a session was, in 8 kB at most."""
        return await service.resume(request, caller)

    @router.get("/why", operation_id="explainDecision", responses=_MISSING)
    async def why(request: Annotated[WhyQuery, Query()], service: Service, caller: Caller) -> Explanation:
        """Return what is in force for a target, and what led to it, in 12 kB at most."""
        return await service.why(request, caller)

    @router.get("/impact", operation_id="findImpact", responses=_MISSING)
    async def impact(request: Annotated[ImpactQuery, Query()], service: Service, caller: Caller) -> Impact:
        """Return what depends on an entity or a record, nearest first, and counts by kind."""
        return await service.impact(request, caller)

    return router
