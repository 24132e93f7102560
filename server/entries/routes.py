"""Entries as resources, for scripts that speak no MCP: the tools' own requests, answers and errors.

Source: issue 6, "The graph itself over REST too". Roles stand in `server/access/roles.py`; errors get their form where
the application is put together.
"""

from typing import Annotated, Any

from fastapi import APIRouter, Body, Path, Query

from server.access.caller import Caller
from server.entries.models import (
    EntryDetailItem,
    Found,
    GetEntries,
    Saved,
    SaveMemory,
    Search,
    Timeline,
    TimelineAnswer,
)
from server.entries.service import EntryService
from server.errors import EntryNotFound

_MISSING: dict[int | str, dict[str, Any]] = {404: {"description": "No entry has this id."}}
EntryId = Annotated[str, Path(min_length=1, max_length=1_000, examples=["0b8d6a52f0f14f0e8f2a5d1c9e7b3a64"])]
Depth = Annotated[int, Query(description="0 to 20; more is taken as 20")]


def build_routes(service: EntryService) -> APIRouter:
    """The routes over a service."""
    router = APIRouter(prefix="/entries", tags=["entries"])
    entry = {"text": "Grace: the checkout was slow because [[Redis]] had swapped.", "project": "shop"}

    @router.post("", status_code=201, operation_id="saveEntry")
    async def save(request: Annotated[SaveMemory, _example(entry)], caller: Caller) -> Saved:
        """Remembers a text; what holds a secret is refused."""
        return await service.save_memory(request, caller)

    @router.post("/query", operation_id="searchEntries")
    async def search(
        request: Annotated[Search, _example({"query": "why was the checkout slow?", "project": "shop", "limit": 5})],
        caller: Caller,
    ) -> Found:
        """Finds entries by meaning, by words and by what was said around them, best first."""
        return await service.search(request, caller)

    @router.get("/{entry_id}", operation_id="getEntry", responses=_MISSING)
    async def get(entry_id: EntryId, caller: Caller) -> EntryDetailItem:
        """Reads an entry whole."""
        found = await service.get_entries(GetEntries(ids=[entry_id]), caller)
        if not found.items:
            raise EntryNotFound(f"No entry has the id {entry_id[:100]!r}.")
        return found.items[0]

    @router.get("/{entry_id}/timeline", operation_id="getTimeline", responses=_MISSING)
    async def timeline(
        entry_id: EntryId, caller: Caller, depth_before: Depth = 3, depth_after: Depth = 3
    ) -> TimelineAnswer:
        """Lists what was saved before and after an entry in its project, oldest first."""
        request = {"anchor_id": entry_id, "depth_before": depth_before, "depth_after": depth_after}
        return await service.timeline(Timeline.parse(request), caller)

    return router


def _example(value: dict[str, Any]) -> Any:
    return Body(openapi_examples={"example": {"value": value}})
