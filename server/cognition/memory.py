"""Working memory: ten items of a namespace. The least recently used one makes room and stays readable as stale.

An item of importance above 0.8 is evicted only where all items are; the limit is stronger than the protection, so a
minor eleventh item among ten critical ones is evicted at once. Content that is there already is refreshed, not stored
twice: it becomes the last accessed, and its importance changes where the call names one. Reading changes nothing. An
admin can archive an item by hand.

Source: COG-35, COG-37, COG-39.
"""

from datetime import datetime
from hashlib import sha256

from server.cognition.fields import days_ago
from server.cognition.models import (
    ArchiveWorkingMemoryItem,
    ReadStaleMemory,
    ReadWorkingMemory,
    StaleItem,
    UpdateWorkingMemory,
    Window,
    WorkingItem,
    WorkingMemoryItemArchived,
    WorkingMemoryUpdated,
)
from server.core.errors import NotFound
from server.core.fields import format_caption
from server.core.principals import Principal
from server.graph.graph import Graph
from server.graph.sequence import IdSequence

CAPACITY = 10
CRITICAL = 0.8


class WorkingMemory:
    """Stores the current items. Each call is one statement, so concurrent calls lose and duplicate nothing."""

    def __init__(self, graph: Graph, sequence: IdSequence) -> None:
        self._graph = graph
        self._sequence = sequence

    async def update(self, request: UpdateWorkingMemory, caller: Principal) -> WorkingMemoryUpdated:
        """Adds or refreshes an item and evicts one where there is no room."""
        id_, archived_id = await self._sequence.take(caller.namespace, 2)
        row = await self._graph.row(
            "cognition/update_working_memory",
            namespace=caller.namespace,
            id=id_,
            archived_id=archived_id,
            name=format_caption(request.content),
            content=request.content,
            digest=sha256(request.content.encode()).hexdigest(),
            importance=request.importance,
            new_importance=request.importance if "importance" in request.model_fields_set else None,
            critical=CRITICAL,
            capacity=CAPACITY,
            by=caller.name,
        )
        return WorkingMemoryUpdated(
            added_id=row["added"],
            evicted_id=row["evicted"],
            archived_id=row["archived"],
            refreshed=row["refreshed"],
        )

    async def archive(self, request: ArchiveWorkingMemoryItem, caller: Principal) -> WorkingMemoryItemArchived:
        """Moves an item of working memory to the stale items; raises `NotFound` where there is none of this id."""
        [archived_id] = await self._sequence.take(caller.namespace)
        row = await self._graph.one(
            "cognition/archive_working_item",
            namespace=caller.namespace,
            id=request.item_id,
            archived_id=archived_id,
        )
        if row is None:
            raise NotFound(
                f"Working memory has no item {request.item_id}; get_working_memory lists the ids.",
                {"item_id": request.item_id},
            )
        return WorkingMemoryItemArchived(item_id=request.item_id, archived_id=row["archived"])

    async def list_items(self, request: ReadWorkingMemory, caller: Principal) -> list[WorkingItem]:  # noqa: ARG002 - takes none
        """Return all items, the last accessed first."""
        rows = await self._graph.run("cognition/working_memory", namespace=caller.namespace)
        return [WorkingItem(**row) for row in rows]

    async def list_stale_items(
        self, request: ReadStaleMemory, caller: Principal, now: datetime, window: Window | None = None
    ) -> list[StaleItem]:
        """Return the stale items, the last archived first; a window replaces the request's limit."""
        window = window or Window(request.limit)
        rows = await self._graph.run(
            "cognition/stale_memory",
            namespace=caller.namespace,
            since=days_ago(request.days_back, now),
            reason=request.reason,
            importance_min=request.importance_min,
            limit=window.limit,
            offset=window.offset,
        )
        return [StaleItem(**row) for row in rows]
