"""Questions about the past over REST, with the requests, answers and errors of the tools. Source: HIS-10."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query

from server.access.caller import Caller
from server.history.impact_models import FindImpact, Impact
from server.history.service import HistoryService
from server.history.why_models import Explanation, Why
from server.interface.state import StateKey

_MISSING: dict[int | str, dict[str, Any]] = {404: {"description": "Nothing has this id, name or target."}}
SERVICE = StateKey[HistoryService]("history")
Service = Annotated[HistoryService, Depends(SERVICE.load)]


class WhyQuery(Why, strict=False):
    """The arguments of `why` in a query string, where every value is text."""


class ImpactQuery(FindImpact, strict=False):
    """The arguments of `impact` in a query string."""


def build_routes() -> APIRouter:
    """Build the routes of the family; the application stores the service behind them under `SERVICE`."""
    router = APIRouter(tags=["history"])

    @router.get("/why", operation_id="explainDecision", responses=_MISSING)
    async def why(request: Annotated[WhyQuery, Query()], service: Service, caller: Caller) -> Explanation:
        """Return what is in force for a target, and what led to it, in 12 kB at most."""
        return await service.why(request, caller)

    @router.get("/impact", operation_id="findImpact", responses=_MISSING)
    async def impact(request: Annotated[ImpactQuery, Query()], service: Service, caller: Caller) -> Impact:
        """Return what depends on an entity or a record, nearest first, and counts by kind."""
        return await service.impact(request, caller)

    return router
