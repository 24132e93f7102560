"""The tools of entries over HTTP, with the same requests and answers. Roles are in `server/access/roles.py`.

Source: MEM-67.
"""

from typing import Annotated, Any

from fastapi import APIRouter, Body, Depends, Path, Query, Response

from server.access.caller import Caller
from server.access.idempotency import KeyedRoute
from server.core.errors import EntryNotFound
from server.entries.models import (
    EntryDetailItem,
    EntryUpdate,
    FoundEntries,
    GetEntries,
    GetTimeline,
    SaveAnswer,
    SavedEntry,
    SaveMemory,
    SearchEntries,
    TimelineAnswer,
    UpdatedEntry,
    UpdateMemory,
)
from server.entries.service import EntryService
from server.interface.state import StateKey

_MISSING: dict[int | str, dict[str, Any]] = {404: {"description": "No entry has this id."}}
EntryId = Annotated[str, Path(min_length=1, max_length=1_000, examples=["0b8d6a52f0f14f0e8f2a5d1c9e7b3a64"])]
Depth = Annotated[int, Query(description="0 to 20; greater numbers count as 20")]
SERVICE = StateKey[EntryService]("entries")
Service = Annotated[EntryService, Depends(SERVICE.load)]


def build_routes() -> APIRouter:
    """The routes of the family; the application stores the service behind them under `SERVICE`."""
    router = APIRouter(route_class=KeyedRoute, prefix="/entries", tags=["entries"])
    entry = {"text": "Grace: the checkout was slow because [[Redis]] had swapped.", "project": "shop"}

    @router.post(
        "",
        status_code=201,
        operation_id="saveEntry",
        responses={
            200: {
                "model": SaveAnswer,
                "description": "A current entry has the text or source: nothing is stored.",
            },
            404: {"description": "An entry that it replaces does not exist."},
        },
    )
    async def save(
        request: Annotated[SaveMemory, _example(entry)], service: Service, caller: Caller, response: Response
    ) -> SaveAnswer:
        """Save a text unless a current entry has the same text or source; a text with a secret is refused."""
        answer = await service.save_memory(request, caller)
        response.status_code = 201 if isinstance(answer.root, SavedEntry) else 200
        return answer

    @router.post("/query", operation_id="searchEntries")
    async def search(
        request: Annotated[
            SearchEntries, _example({"query": "why was the checkout slow?", "project": "shop", "limit": 5})
        ],
        service: Service,
        caller: Caller,
    ) -> FoundEntries:
        """Find entries by meaning, by words and by the text around them in their session, best first.

        A `limit` outside of 1 to 100 is replaced by the nearest of the two.
        """
        return await service.search(request, caller)

    @router.get("/{entry_id}", operation_id="getEntry", responses=_MISSING)
    async def get(entry_id: EntryId, service: Service, caller: Caller) -> EntryDetailItem:
        """Read a complete entry."""
        found = await service.get_entries(GetEntries(ids=[entry_id]), caller)
        if not found.items:
            raise EntryNotFound(f"No entry has the id {entry_id[:100]!r}.")
        return found.items[0]

    change = {"body": "The checkout was slow because [[Redis]] had no memory left.", "reason": "The cause was another."}

    @router.patch("/{entry_id}", operation_id="updateEntry", responses=_MISSING)
    async def update(
        entry_id: EntryId, request: Annotated[EntryUpdate, _example(change)], service: Service, caller: Caller
    ) -> UpdatedEntry:
        """Change the text of an entry in place; its former text stays as history."""
        return await service.update_memory(UpdateMemory(id=entry_id, **request.model_dump(exclude_none=True)), caller)

    @router.get("/{entry_id}/timeline", operation_id="getTimeline", responses=_MISSING)
    async def timeline(
        entry_id: EntryId, service: Service, caller: Caller, depth_before: Depth = 3, depth_after: Depth = 3
    ) -> TimelineAnswer:
        """List the entries saved before and after an entry in its project, oldest first."""
        request = {"anchor_id": entry_id, "depth_before": depth_before, "depth_after": depth_after}
        return await service.timeline(GetTimeline.parse(request), caller)

    return router


def _example(value: dict[str, Any]) -> Any:
    return Body(openapi_examples={"example": {"value": value}})
