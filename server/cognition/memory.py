"""Working memory: ten items of a namespace; the least recently used one makes room, and stays readable as stale.

Source: cognitive.md "update_working_memory"; open-questions.md "cognitive.md", "update_working_memory". Above an
importance of 0.8 an item is evicted only where all are; the cap beats protection, so that an eleventh item of little
importance among ten critical ones is evicted at once. Content that is there already is refreshed, not stored twice: it
is the last accessed from then on, and gets the importance of the call where the call names one. Reading changes none.
"""

from datetime import datetime
from hashlib import sha256

from server.cognition.fields import days_ago
from server.cognition.models import (
    ReadStaleMemory,
    ReadWorkingMemory,
    StaleItem,
    UpdateWorkingMemory,
    WorkingItem,
    WorkingMemoryUpdated,
)
from server.fields import captioned, iso
from server.graph.graph import Graph
from server.graph.sequence import IdSequence
from server.principals import Principal

CAPACITY = 10
CRITICAL = 0.8


class WorkingMemory:
    """Keeps what is on the mind now. One statement a call: whatever runs at the same time, none is lost or doubled."""

    def __init__(self, graph: Graph, sequence: IdSequence) -> None:
        self._graph = graph
        self._sequence = sequence

    async def update(self, request: UpdateWorkingMemory, caller: Principal) -> WorkingMemoryUpdated:
        """Adds or refreshes an item, and evicts one where there is no room."""
        id_, archived_id = await self._sequence.take(caller.namespace, 2)
        row = await self._graph.one(
            "cognition/update_working_memory",
            namespace=caller.namespace,
            id=id_,
            archived_id=archived_id,
            name=captioned(request.content),
            content=request.content,
            digest=sha256(request.content.encode()).hexdigest(),
            importance=request.importance,
            given=request.importance if "importance" in request.model_fields_set else None,
            critical=CRITICAL,
            capacity=CAPACITY,
            by=caller.name,
        )
        assert row is not None
        return WorkingMemoryUpdated(
            added_id=row["added"],
            evicted_id=row["evicted"],
            archived_id=row["archived"],
            refreshed=row["refreshed"],
        )

    async def items(self, request: ReadWorkingMemory, caller: Principal) -> list[WorkingItem]:  # noqa: ARG002 - takes none
        """Returns the whole working memory, the last accessed first."""
        rows = await self._graph.run("cognition/working_memory", namespace=caller.namespace)
        return [
            WorkingItem(**{**row, "last_accessed": iso(row["last_accessed"]), "created_at": iso(row["created_at"])})
            for row in rows
        ]

    async def stale(self, request: ReadStaleMemory, caller: Principal, now: datetime) -> list[StaleItem]:
        """Returns what left working memory, the last archived first."""
        rows = await self._graph.run(
            "cognition/stale_memory",
            namespace=caller.namespace,
            since=days_ago(request.days_back, now),
            **request.model_dump(exclude={"days_back"}),
        )
        return [StaleItem(**{**row, "archived_at": iso(row["archived_at"])}) for row in rows]
